import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { ReadField, Reading } from '../design/field.tsx'
import { type Choice, Picker } from '../design/picker.tsx'
import { words } from '../words/common.ts'

/** Several records: those that are chosen, each with a button that removes it, and a picker that adds one. */
export function ChosenField({
  label,
  help,
  add,
  value,
  fault,
  nameOf,
  href,
  find,
  onValue,
}: {
  label: string
  help?: ComponentChildren
  /** The label of the picker. */
  add: string
  value: readonly number[]
  fault?: string | undefined
  nameOf: (id: number) => string
  /** The path of their list. */
  href: string
  find: (search: string, signal: AbortSignal) => Promise<readonly Choice[]>
  onValue: (value: readonly number[]) => void
}) {
  const link = (id: number) => <a href={`${href}/${id}`}>{nameOf(id)}</a>
  if (useContext(Reading) !== undefined)
    return (
      value.length > 0 && (
        <ReadField label={label}>
          <ul>
            {value.map((id) => (
              <li key={id}>{link(id)}</li>
            ))}
          </ul>
        </ReadField>
      )
    )
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {help !== undefined && <p class="quiet small">{help}</p>}
      {value.length > 0 && (
        <ul>
          {value.map((id) => (
            <li key={id} class="row">
              {link(id)}
              <Button
                kind="plain"
                aria-label={words.removeOne(nameOf(id))}
                onClick={() => onValue(value.filter((other) => other !== id))}
              >
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Picker
        label={add}
        value={undefined}
        find={find}
        fault={fault}
        onValue={(choice) => {
          const id = Number(choice?.value)
          if (choice !== undefined && !value.includes(id)) onValue([...value, id])
        }}
      />
    </fieldset>
  )
}
