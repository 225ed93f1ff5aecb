import { copyText } from '../lib/copy.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'

/** A text of one line to copy, such as a command. */
export function CopyField({ label, help, text }: { label: string; help?: string; text: string }) {
  return (
    <Field label={label} help={help}>
      {(described) => (
        <span class="with-button">
          <input
            {...described}
            class="input mono"
            readOnly
            value={text}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button onClick={() => void copyText(text)}>{words.copy}</Button>
        </span>
      )}
    </Field>
  )
}
