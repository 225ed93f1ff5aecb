import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { choicesOf, SelectField, TextField } from '../design/field.tsx'
import { type Choice, Picker } from '../design/picker.tsx'
import { useTyped } from '../lib/use-typed.ts'
import { words } from '../words/common.ts'
import { fromLocalTime, toLocalTime } from './delivery-filters.ts'
import { findTransports } from './find.ts'
import { MauticField } from './mautics.tsx'
import { useTransportNames } from './transports.tsx'

type Values = Readonly<Record<string, string | undefined>>

/**
 * What leaves rows out of a list: a parameter of the address and of the request. It is of a kind, one of few `options`, or of
 * many that `find` offers; with none of them, only links set it, and it can be removed.
 */
export interface ListFilter {
  name: string
  label: string
  /** `transport` sets `transportId`, or `transport` to one of the options. */
  kind?: 'text' | 'time' | 'mautic' | 'transport'
  /** Value and label of each choice; the first is that of no filter. */
  options?: readonly Choice[]
  find?: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
  /** Names a value that is in the address; its label and itself by default. */
  nameOf?: (value: string) => string
  help?: string
  /** Whether it is folded until it is set. */
  isFolded?: boolean
  /** The filters that mean something else with another choice, and are removed. */
  clears?: readonly string[]
}

/** The labels of a table, such as that of outcomes. */
export const labelsOf = (table: Readonly<Record<string, { label: string }>>) =>
  Object.fromEntries(Object.entries(table).map(([key, { label }]) => [key, label]))

/** The options of a filter from their labels; the first is that of no filter. */
export const optionsOf = (labels: Readonly<Record<string, string>>): readonly Choice[] =>
  choicesOf({ '': words.all, ...labels })

/** The values of filters in the query of an address, which may have more. */
export function valuesOf(
  filters: readonly ListFilter[],
  query: Values,
): Partial<Record<string, string>> {
  const names = filters.flatMap(({ name, kind }) =>
    kind === 'transport' ? [name, 'transportId'] : name,
  )
  return Object.fromEntries(names.filter((name) => query[name]).map((name) => [name, query[name]]))
}

/** The filters of a list, which stand in the address. Each applies at once, texts when typing pauses. */
export function Filters({
  search,
  tools,
  filters,
  values,
  onValues,
}: {
  /** Before the filters. */
  search?: ComponentChildren
  /** After them. */
  tools?: ComponentChildren
  filters: readonly ListFilter[]
  values: Values
  /** Gets those that change. While someone types, Back skips the addresses between. */
  onValues: (changes: Values, isReplacing?: boolean) => void
}) {
  const isSet = ({ name }: ListFilter) => (values[name] ?? '') !== ''
  const isLinked = ({ kind, options, find }: ListFilter) => !(kind ?? options ?? find)
  const show = (filter: ListFilter) => (
    <FilterControl key={filter.name} filter={filter} values={values} onValues={onValues} />
  )
  const folded = filters.filter(({ isFolded }) => isFolded)
  // It stays open while a text in it is removed.
  const isOpen = useRef(false)
  isOpen.current ||= folded.some(isSet)
  const linked = filters.filter((filter) => isLinked(filter) && isSet(filter))
  return (
    <>
      <div class="toolbar">
        {search}
        {filters.filter((filter) => !(filter.isFolded || isLinked(filter))).map(show)}
        {tools}
        {Object.values(values).some(Boolean) && (
          <Button
            kind="plain"
            onClick={() =>
              onValues(Object.fromEntries(Object.keys(values).map((name) => [name, ''])))
            }
          >
            {words.filters.clear}
          </Button>
        )}
      </div>
      {folded.length > 0 && (
        <details open={isOpen.current}>
          <summary>{words.filters.more}</summary>
          <div class="toolbar">{folded.map(show)}</div>
        </details>
      )}
      {linked.length > 0 && (
        <ul class="row">
          {linked.map((filter) => {
            const text = nameOfValue(filter, values[filter.name])
            return (
              <li key={filter.name}>
                <Button
                  aria-label={words.removeFilter(text)}
                  onClick={() => onValues({ [filter.name]: '' })}
                >
                  {text} ×
                </Button>
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

const nameOfValue = ({ label, nameOf }: ListFilter, value = '') =>
  nameOf?.(value) ?? `${label}: ${value}`

interface ControlProps {
  filter: ListFilter
  values: Values
  onValues: (changes: Values, isReplacing?: boolean) => void
}

function FilterControl({ filter, values, onValues }: ControlProps) {
  const { name, label, kind, options = [], find, clears = [] } = filter
  const value = values[name] ?? ''
  const choose = (chosen = '') =>
    onValues({ ...Object.fromEntries(clears.map((other) => [other, ''])), [name]: chosen })
  if (kind === 'transport')
    return <TransportFilter filter={filter} values={values} onValues={onValues} />
  if (kind === 'mautic')
    return <MauticField label={label} none={words.all} value={value} onValue={choose} />
  if (kind !== undefined) return <TextFilter filter={filter} values={values} onValues={onValues} />
  if (find !== undefined)
    return (
      <Picker
        label={label}
        value={value === '' ? undefined : { value, label: nameOfValue(filter, value) }}
        onValue={(choice) => choose(choice?.value)}
        find={find}
      />
    )
  // An address may ask for several values with commas, which the filter keeps.
  const isListed = options.some((option) => option.value === value)
  return (
    <SelectField
      label={label}
      value={value}
      onValue={choose}
      options={isListed ? options : [...options, { value, label: value }]}
    />
  )
}

function TextFilter({ filter: { name, label, kind, help }, values, onValues }: ControlProps) {
  const { [name]: value = '' } = values
  const isTime = kind === 'time'
  const { text, setText } = useTyped(isTime ? toLocalTime(value) : value, (typed) =>
    onValues({ [name]: isTime ? fromLocalTime(typed) : typed }, value !== ''),
  )
  return (
    <TextField
      label={label}
      type={isTime ? 'datetime-local' : 'text'}
      placeholder={help}
      value={text}
      onValue={setText}
    />
  )
}

/** Suggests transports, and the options that stand for others. */
function TransportFilter({ filter: { label, options = [] }, values, onValues }: ControlProps) {
  const { transportId = '', transport = '' } = values
  const nameOf = useTransportNames(transportId === '' ? [] : [Number(transportId)])
  const other = options.find(({ value }) => value === transport)?.label ?? transport
  return (
    <Picker
      label={label}
      value={
        transportId + transport === ''
          ? undefined
          : {
              value: transportId || transport,
              label: transportId === '' ? other : nameOf(Number(transportId)),
            }
      }
      onValue={({ value = '' } = { value: '', label: '' }) => {
        const isOther = options.some((option) => option.value === value)
        onValues({ transportId: isOther ? '' : value, transport: isOther ? value : '' })
      }}
      find={async (text, signal) => {
        const matching = options.filter((option) =>
          option.label.toLowerCase().includes(text.trim().toLowerCase()),
        )
        return [...matching, ...(await findTransports(text, signal))]
      }}
    />
  )
}
