import { useId, useState } from 'preact/hooks'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { Field } from './field.tsx'

/** A record that can be chosen. */
export interface Choice {
  value: string
  label: string
  /** More about it, such as the address of a contact. */
  note?: string | undefined
}

interface PickerProps {
  label: string
  help?: string
  fault?: string | undefined
  value: Choice | undefined
  onValue: (choice: Choice | undefined) => void
  /** Finds what matches a text; without text, what is offered first. */
  find: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
}

/** A search box that chooses one record among many on the server. Arrow keys, Enter and Escape work as in a list box. */
export function Picker({ label, help, fault, value, onValue, find }: PickerProps) {
  const listId = useId()
  const [text, setText] = useState<string>()
  const [active, setActive] = useState(0)
  const isOpen = text !== undefined
  const { data } = useData(
    async (signal) => (text === undefined ? undefined : find(text, signal).catch(() => [])),
    [text],
    { isTyped: true },
  )
  const choices = isOpen ? data : undefined
  const type = (typed: string) => {
    setText(typed)
    setActive(0)
  }
  const choose = (choice: Choice | undefined) => {
    onValue(choice)
    setText(undefined)
  }
  const press = (event: KeyboardEvent) => {
    const count = choices?.length ?? 0
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      setText(undefined)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (isOpen && count > 0)
        setActive((active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count)
      else type('')
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      if (choices?.[active] !== undefined) choose(choices[active])
    }
  }
  return (
    <Field label={label} help={help} fault={fault} shown={value?.label}>
      {(described) => (
        <div class="picker">
          <input
            {...described}
            class="input"
            role="combobox"
            autocomplete="off"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-activedescendant={choices?.[active] && `${listId}-${active}`}
            placeholder={words.picker.placeholder}
            value={text ?? value?.label ?? ''}
            onClick={() => isOpen || type('')}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={press}
            onBlur={() => setText(undefined)}
          />
          {value !== undefined && !isOpen && (
            <button
              type="button"
              class="picker-clear"
              aria-label={words.picker.clear(label)}
              onClick={() => choose(undefined)}
            >
              ×
            </button>
          )}
          <div class="picker-list" hidden={!isOpen}>
            <div id={listId} role="listbox" aria-label={label}>
              {choices?.map((choice, index) => (
                <button
                  key={choice.value}
                  id={`${listId}-${index}`}
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  // The input keeps the focus, whose loss would close the list.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(choice)}
                >
                  {choice.label}
                  {choice.note !== undefined && <span class="quiet small"> {choice.note}</span>}
                </button>
              ))}
            </div>
            {choices?.length === 0 && <p role="status">{words.picker.nothing}</p>}
          </div>
        </div>
      )}
    </Field>
  )
}
