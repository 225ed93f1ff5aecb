import { copyText } from '../lib/copy.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { LongText } from './long-text.tsx'

/** A text of one or more lines to use elsewhere, with a button that copies it. */
export function CopyText({
  text,
  isScrolled = false,
  isOneLine = false,
  label = words.copyText(text.split('\n')[0] ?? ''),
}: {
  text: string
  /** Whether its lines do not wrap: then it takes the focus, so that keys scroll it. */
  isScrolled?: boolean
  /** Cuts a text that does not fit in its line; the pointer shows it whole. */
  isOneLine?: boolean
  /** What the button says to assistive technology; default: the first line of the text. */
  label?: string
}) {
  return (
    <span
      class="copy-text"
      data-lines={isOneLine ? 'one' : undefined}
      title={isOneLine ? text : undefined}
    >
      <code tabIndex={isScrolled ? 0 : undefined}>
        {isOneLine ? text : <LongText text={text} />}
      </code>
      <Button kind="plain" aria-label={label} onClick={() => void copyText(text)}>
        {words.copy}
      </Button>
    </span>
  )
}

/** A text of one line to copy, such as a command. */
export function CopyField({ label, help, text }: { label: string; help?: string; text: string }) {
  return (
    <Field label={label} help={help} shown={<CopyText text={text} isOneLine />}>
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
