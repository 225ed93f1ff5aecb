import { showToast } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'

/** A text to copy, such as a command. */
export function CopyField({ label, help, text }: { label: string; help?: string; text: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    showToast(words.copied)
  }
  return (
    <Field label={label} help={help}>
      {(described) => (
        <span class="search">
          <textarea
            {...described}
            class={text.length > 80 ? 'input mono' : 'input mono one-line'}
            readOnly
            rows={text.length > 80 ? 4 : 1}
            value={text}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button onClick={() => void copy()}>{words.copy}</Button>
        </span>
      )}
    </Field>
  )
}
