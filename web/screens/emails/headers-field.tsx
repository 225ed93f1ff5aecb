import { Button } from '../../design/button.tsx'
import { emailWords } from '../../words/emails.ts'
import type { Draft } from './draft.ts'

const { fields, help, header: text } = emailWords

interface HeadersFieldProps {
  headers: Draft['headers']
  onHeaders: (headers: Draft['headers']) => void
  fault: string | undefined
}

/** The additional headers of an email, each with its name and value. */
export function HeadersField({ headers, onHeaders, fault }: HeadersFieldProps) {
  const change = (index: number, changed: Partial<Draft['headers'][number]>) =>
    onHeaders(headers.map((each, place) => (place === index ? { ...each, ...changed } : each)))
  return (
    <fieldset class="field headers">
      <legend class="label">{fields.headers}</legend>
      {headers.map(({ label, value }, index) => (
        <div key={index} class="header-row">
          <input
            class="input mono"
            aria-label={text.name(index + 1)}
            value={label}
            onInput={(event) => change(index, { label: event.currentTarget.value })}
          />
          <input
            class="input mono"
            aria-label={text.value(index + 1)}
            value={value}
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
          <Button
            kind="plain"
            aria-label={text.remove(index + 1)}
            onClick={() => onHeaders(headers.filter((_, place) => place !== index))}
          >
            {text.removeShort}
          </Button>
        </div>
      ))}
      <span class="help">{help.headers}</span>
      {fault !== undefined && <span class="fault">{fault}</span>}
      <div class="row">
        <Button onClick={() => onHeaders([...headers, { label: '', value: '' }])}>
          {text.add}
        </Button>
      </div>
    </fieldset>
  )
}
