import { useState } from 'preact/hooks'
import { words } from '../words/common.ts'
import { Badge } from './feedback.tsx'
import { Field } from './field.tsx'

interface TokenFieldProps {
  label: string
  help?: string | undefined
  fault?: string | undefined
  value: readonly string[]
  onValue: (values: readonly string[]) => void
  /** Where a value leads, where it is read. */
  hrefOf?: (value: string) => string
}

/** Several short texts, such as tags. Enter and comma add one; Backspace in the empty box removes the last. */
export function TokenField({
  label,
  help,
  fault,
  value: values,
  onValue,
  hrefOf,
}: TokenFieldProps) {
  const [text, setText] = useState('')
  const add = (typed: string) => {
    const added = typed
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
    if (added.length > 0) onValue([...new Set([...values, ...added])])
    setText('')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault()
      add(text)
    } else if (event.key === 'Backspace' && text === '') onValue(values.slice(0, -1))
  }
  return (
    <Field
      label={label}
      help={help}
      fault={fault}
      shown={
        values.length > 0 && (
          <span class="row">
            {values.map((value) => (
              <a key={value} href={hrefOf?.(value)}>
                <Badge>{value}</Badge>
              </a>
            ))}
          </span>
        )
      }
    >
      {(described) => (
        <div class="input tokens">
          {values.map((value) => (
            <span key={value} class="badge token">
              {value}
              <button
                type="button"
                aria-label={words.removeOne(value)}
                onClick={() => onValue(values.filter((each) => each !== value))}
              >
                ×
              </button>
            </span>
          ))}
          <input
            {...described}
            value={text}
            onInput={({ currentTarget: { value: typed } }) =>
              typed.endsWith(',') ? add(typed) : setText(typed)
            }
            onKeyDown={press}
            onBlur={() => add(text)}
          />
        </div>
      )}
    </Field>
  )
}
