import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Picker } from '../../design/picker.tsx'
import { findTransports } from '../../records/find.ts'
import { words } from '../../words/common.ts'
import { limitWords as text } from '../../words/limits.ts'

/** The transports that share a limit. */
export function TransportsField({
  value,
  names,
  fault,
  onValue,
}: {
  value: readonly number[]
  /** The names of transports, by id. */
  names: ReadonlyMap<number, string>
  fault: string | undefined
  onValue: (value: readonly number[]) => void
}) {
  const [added, setAdded] = useState<ReadonlyMap<number, string>>(new Map())
  const nameOf = (id: number) => names.get(id) ?? added.get(id) ?? text.transport(id)
  return (
    <fieldset class="group limit-fields">
      <legend>{text.labels.transports}</legend>
      <ul>
        {value.map((id) => (
          <li key={id} class="row">
            <a href={`/transports/${id}`}>{nameOf(id)}</a>
            <Button
              kind="plain"
              aria-label={text.removeTransport(nameOf(id))}
              onClick={() => onValue(value.filter((other) => other !== id))}
            >
              {words.remove}
            </Button>
          </li>
        ))}
      </ul>
      <Picker
        label={text.addTransport}
        value={undefined}
        find={findTransports}
        fault={fault}
        onValue={(choice) => {
          if (choice === undefined) return
          const id = Number(choice.value)
          setAdded(new Map([...added, [id, choice.label]]))
          if (!value.includes(id)) onValue([...value, id])
        }}
      />
    </fieldset>
  )
}
