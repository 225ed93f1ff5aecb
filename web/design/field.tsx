import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { words } from '../words/common.ts'
import { formatNumber } from '../words/format.ts'
import { Button } from './button.tsx'
import { HelpText } from './feedback.tsx'
import { Icon } from './icon.tsx'

/** The title of the record whose fields are read; undefined in a form. */
export const Reading = createContext<string | undefined>(undefined)

/** What is only needed to change a record. */
export function WhileEditing({ children }: { children: ComponentChildren }) {
  return useContext(Reading) === undefined ? children : null
}

/** A field that is read: nothing where it is empty, or says what the title says. */
export function ReadField({ label, children }: { label: string; children: ComponentChildren }) {
  const title = useContext(Reading)
  if (!children || children === title) return null
  return (
    <dl class="fact-row">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </dl>
  )
}

interface FieldProps {
  label: string
  help?: ComponentChildren
  /** What the API says is wrong with the value. */
  fault?: string | undefined
}

interface Described {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: boolean
}

/**
 * A label, a control, help and the fault of the value, connected for assistive technology. Where its record is read: the
 * label and the value.
 */
export function Field({
  label,
  help,
  fault: ofValue,
  shown,
  children,
}: FieldProps & {
  /** The value, where it is read. */
  shown?: ComponentChildren
  children: (described: Described) => ComponentChildren
}) {
  const id = useId()
  const [ofControl, setOfControl] = useState<string>()
  if (useContext(Reading) !== undefined) return <ReadField label={label}>{shown}</ReadField>
  const fault = ofControl ?? ofValue
  const ids = [
    help === undefined ? [] : `${id}-help`,
    fault === undefined ? [] : `${id}-fault`,
  ].flat()
  const described: Described = { id, 'aria-invalid': fault !== undefined }
  if (ids.length > 0) described['aria-describedby'] = ids.join(' ')
  return (
    <div
      class="field"
      onInvalidCapture={(event) => {
        // Instead of the bubble of the browser.
        event.preventDefault()
        const control = event.target as FieldControl
        setOfControl(faultOf(control, label))
        if (control === control.form?.querySelector(`:is(${controls}):invalid`)) reveal(control)
      }}
      onInputCapture={() => setOfControl(undefined)}
    >
      <label for={id}>{label}</label>
      {children(described)}
      {help !== undefined && (
        <span class="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {fault !== undefined && (
        <span class="fault" id={`${id}-fault`}>
          <HelpText text={fault} />
        </span>
      )}
    </div>
  )
}

export type FieldControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement
const controls = 'input, select, textarea'

/** Says what the browser finds wrong with a value. */
function faultOf({ validity, type }: FieldControl, label: string): string {
  if (validity.valueMissing) return words.invalid.missing(label)
  return type in words.invalid.types
    ? words.invalid.types[type as keyof typeof words.invalid.types]
    : words.invalid.other
}

/** Focuses a control, also where it is folded. */
export function reveal(control: FieldControl): void {
  control.closest('details')?.setAttribute('open', '')
  control.focus()
}

interface TextProps extends FieldProps {
  value: string
  onValue: (value: string) => void
  name?: string
  type?: 'text' | 'color' | 'email' | 'number' | 'password' | 'search' | 'date' | 'datetime-local'
  autocomplete?: string
  placeholder?: string
  inputMode?: 'decimal' | 'email' | 'numeric' | 'url' | undefined
  required?: boolean
  /** The step of a number; `any` for one that need not be whole. */
  step?: 'any'
  isMono?: boolean
}

export function TextField({ label, help, fault, value, onValue, isMono, ...rest }: TextProps) {
  return (
    <Field label={label} help={help} fault={fault} shown={shownOf(value, rest.type)}>
      {(described) => (
        <input
          {...({ ...rest, ...described } as InputProps)}
          class={isMono ? 'input mono' : 'input'}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** A value where it is read: no password, and numbers as all others. */
function shownOf(value: string, type: TextProps['type']): string {
  if (type === 'password') return ''
  return type === 'number' && value !== '' ? formatNumber(Number(value)) : value
}

type InputProps = JSX.IntrinsicElements['input']

const shownInput = { type: 'text', autocomplete: 'off' } as const
const hiddenInput = { type: 'password', autocomplete: 'new-password' } as const

/** A password or key: hidden until it is shown. */
export function SecretField({
  label,
  help,
  fault,
  value,
  onValue,
  required,
}: FieldProps & { value: string; onValue: (value: string) => void; required?: boolean }) {
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} help={help} fault={fault}>
      {(described) => (
        <div class="with-button">
          <input
            {...described}
            {...(isShown ? shownInput : hiddenInput)}
            class="input mono"
            spellcheck={false}
            required={required}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <Button
            aria-label={words.showValue(label)}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? words.hide : words.show}
          </Button>
        </div>
      )}
    </Field>
  )
}

export function TextArea({
  value,
  onValue,
  rows = 6,
  isMono,
  ...field
}: FieldProps & {
  value: string
  onValue: (value: string) => void
  rows?: number
  isMono?: boolean
}) {
  return (
    <Field {...field} shown={value}>
      {(described) => (
        <textarea
          {...described}
          class={isMono ? 'input mono' : 'input'}
          rows={rows}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** The choices of a field from their labels. */
export const choicesOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label }))

export function SelectField<Value extends string>({
  value,
  onValue,
  options,
  ...field
}: FieldProps & {
  value: Value
  onValue: (value: Value) => void
  options: readonly { value: NoInfer<Value>; label: string }[]
}) {
  return (
    <Field {...field} shown={value && options.find((option) => option.value === value)?.label}>
      {(described) => (
        <select
          {...described}
          class="input"
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  value,
  onValue,
  help,
}: {
  label: string
  value: boolean
  onValue: (value: boolean) => void
  help?: string | undefined
}) {
  const id = useId()
  if (useContext(Reading) !== undefined)
    return (
      value && (
        <p class="fact-row">
          <Icon name="good" /> {label}
        </p>
      )
    )
  return (
    <div class="field">
      <div class="check">
        <input
          id={id}
          type="checkbox"
          checked={value}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        <label for={id}>{label}</label>
      </div>
      {help !== undefined && <span class="help">{help}</span>}
    </div>
  )
}
