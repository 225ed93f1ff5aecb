import { useLayoutEffect, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../design/button.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { LinkedFilters } from '../design/linked-filters.tsx'
import { Picker } from '../design/picker.tsx'
import { words } from '../words/common.ts'
import { fromLocalTime, toLocalTime } from './delivery-filters.ts'
import { findTransports } from './find.ts'
import { MauticField } from './mautic-field.tsx'
import { useTransportNames } from './use-transport-names.ts'

type Values = Readonly<Record<string, string | undefined>>

/** A control that sets the filter of its name. */
export interface FilterControl {
  name: string
  label: string
  /** A text by default. `transport` sets `transportId`, or `transport` to one of the choices. */
  kind?: 'time' | 'mautic' | 'transport'
  /** The choices and their labels; that of no filter is added. */
  choices?: Readonly<Record<string, string>>
  help?: string
  /** Whether it is folded until it is set. */
  isFolded?: boolean
  /** The filters that mean something else with another choice, and are removed. */
  clears?: readonly string[]
}

interface FilterFormProps {
  /** The address of the list without filters. */
  path: string
  controls: readonly FilterControl[]
  /** The filters that only links set, with their labels. */
  linked?: Readonly<Record<string, string>>
  values: Values
  onValues: (values: Record<string, string>) => void
}

/** The filters of a list, which stand in the address. Choices apply at once, texts with Enter. */
export function FilterForm({ path, controls, linked = {}, values, onValues }: FilterFormProps) {
  const [draft, setDraft] = useState(values)
  // Follows the address, such as after Back, before the next input: what is typed then stays.
  useLayoutEffect(() => setDraft(values), [JSON.stringify(values)])
  const isSet = (name: string) => (values[name] ?? '') !== ''
  const apply = (changes: Values) => {
    const entries = Object.entries({ ...draft, ...changes }).map(([name, value = '']) => [
      name,
      value,
    ])
    onValues(Object.fromEntries(entries))
  }
  const show = (control: FilterControl) => (
    <Control
      key={control.name}
      control={control}
      values={draft}
      onDraft={(value) => setDraft({ ...draft, [control.name]: value })}
      onChoice={(changes) => {
        const cleared = (control.clears ?? []).map((name) => [name, ''])
        apply({ ...Object.fromEntries(cleared), ...changes })
      }}
    />
  )
  const folded = controls.filter(({ isFolded }) => isFolded)
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        apply({})
      }}
    >
      <div class="filters">
        {controls.filter(({ isFolded }) => !isFolded).map(show)}
        <div class="row">
          <Button kind="primary" type="submit">
            {words.filters.apply}
          </Button>
          {Object.keys(values).some(isSet) && (
            <ButtonLink kind="plain" href={path}>
              {words.filters.clear}
            </ButtonLink>
          )}
        </div>
      </div>
      {folded.length > 0 && (
        <details open={folded.some(({ name }) => isSet(name))}>
          <summary>{words.filters.more}</summary>
          <div class="filters">{folded.map(show)}</div>
        </details>
      )}
      <LinkedFilters
        filters={Object.entries(linked).map(
          ([name, label]) => [name, isSet(name) ? `${label}: ${values[name]}` : undefined] as const,
        )}
        onRemove={(name) => apply({ [name]: '' })}
      />
    </form>
  )
}

function Control({
  control: { name, label, kind, choices, help },
  values,
  onDraft,
  onChoice,
}: {
  control: FilterControl
  values: Values
  onDraft: (value: string) => void
  onChoice: (changes: Values) => void
}) {
  const value = values[name] ?? ''
  const choose = (chosen: string) => onChoice({ [name]: chosen })
  if (kind === 'transport')
    return (
      <TransportFilter label={label} words={choices ?? {}} values={values} onChoice={onChoice} />
    )
  if (kind === 'mautic')
    return <MauticField label={label} none={words.all} value={value} onValue={choose} />
  if (choices !== undefined)
    return (
      <SelectField
        label={label}
        value={value}
        onValue={choose}
        options={optionsOf(choices, value)}
      />
    )
  if (kind === 'time')
    return (
      <TextField
        label={label}
        type="datetime-local"
        value={toLocalTime(value)}
        onValue={(local) => onDraft(fromLocalTime(local))}
      />
    )
  return <TextField label={label} placeholder={help} value={value} onValue={onDraft} />
}

/** The choices. An address may ask for several values with commas, which the form keeps. */
function optionsOf(choices: Readonly<Record<string, string>>, value: string) {
  const options = Object.entries(choices).map(([each, label]) => ({ value: each, label }))
  const isListed = value === '' || Object.hasOwn(choices, value)
  return [
    { value: '', label: words.all },
    ...options,
    ...(isListed ? [] : [{ value, label: value }]),
  ]
}

/** Suggests transports, and the words that stand for others. */
function TransportFilter({
  label,
  words: others,
  values: { transportId = '', transport = '' },
  onChoice,
}: {
  label: string
  words: Readonly<Record<string, string>>
  values: Values
  onChoice: (changes: Values) => void
}) {
  const nameOf = useTransportNames(transportId === '' ? [] : [Number(transportId)])
  const chosen = transportId || transport
  const name = transportId === '' ? (others[transport] ?? transport) : nameOf(Number(transportId))
  return (
    <Picker
      label={label}
      value={chosen === '' ? undefined : { value: chosen, label: name }}
      onValue={({ value = '' } = { value: '', label: '' }) => {
        const isWord = Object.hasOwn(others, value)
        onChoice({ transportId: isWord ? '' : value, transport: isWord ? value : '' })
      }}
      find={async (text, signal) => {
        const named = Object.entries(others).map(([value, each]) => ({ value, label: each }))
        const matching = named.filter((each) =>
          each.label.toLowerCase().includes(text.trim().toLowerCase()),
        )
        return [...matching, ...(await findTransports()(text, signal))]
      }}
    />
  )
}
