import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Popup, useFirstFocus } from '../design/menu.tsx'
import { type Choice, Picker } from '../design/picker.tsx'
import { useTyped } from '../lib/use-typed.ts'
import { words } from '../words/common.ts'
import { formatMoment } from '../words/format.ts'
import { fromLocalTime, periods, toLocalTime } from './periods.ts'

type Values = Readonly<Record<string, string | undefined>>

/**
 * What leaves rows out of a list: a parameter of the address and of the request. It is of a kind, one of few `options`, or of
 * many that `find` offers; with none of them, only links set it, and it can be removed.
 */
export interface ListFilter {
  name: string
  label: string
  /** `period` sets `from` and `to`, or itself to one of `periods`. */
  kind?: 'text' | 'period'
  options?: readonly Choice[]
  find?: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
  /** Names a value that is in the address; its label and itself by default. */
  nameOf?: (value: string) => string
  help?: string
  /** The parameters that it sets, at most one of them at once; its name by default. */
  parameters?: readonly string[]
  /** What a value of it changes; the parameter of its name by default. */
  changesOf?: (value: string) => Values
}

const times = ['from', 'to']

const parametersOf = ({ name, kind, parameters = [name] }: ListFilter) =>
  kind === 'period' ? [name, ...times] : parameters

/** The values of filters in the query of an address, which may have more. */
export function valuesOf(
  filters: readonly ListFilter[],
  query: Values,
): Partial<Record<string, string>> {
  const names = filters.flatMap(parametersOf)
  return Object.fromEntries(names.filter((name) => query[name]).map((name) => [name, query[name]]))
}

interface FiltersProps {
  /** The search in the address, and what is searched; without it there is none. */
  search?: { value: string; onSearch: (text: string) => void; label: string } | undefined
  /** After the filters. */
  tools?: ComponentChildren
  filters: readonly ListFilter[]
  values: Values
  /** Gets those that change. While someone types, Back skips the addresses between. */
  onValues: (changes: Values, isReplacing?: boolean) => void
  /** How many match, in words. */
  hits?: string | undefined
}

/**
 * The bar above a list: its search, a chip for each filter that is set, the menu of the others, and the number of hits. All of
 * it is in the address. Each applies at once, texts when typing pauses.
 */
export function Filters({ search, tools, filters, values, onValues, hits }: FiltersProps) {
  const bar = useRef<HTMLDivElement>(null)
  const isSet = (filter: ListFilter) => parametersOf(filter).some((name) => values[name])
  const set = filters.filter(isSet)
  const offered = filters.filter((filter) => !(isSet(filter) || isLinked(filter)))
  const remove = (removed: readonly ListFilter[]) => {
    onValues(Object.fromEntries(removed.flatMap(parametersOf).map((name) => [name, ''])))
    bar.current?.querySelector<HTMLElement>('.menu > .button, input')?.focus()
  }
  const period = filters.find(({ kind }) => kind === 'period')
  return (
    <div ref={bar} class="filters">
      {search !== undefined && <SearchForm {...search} />}
      {period !== undefined && (
        <fieldset aria-label={period.label}>
          {!isSet(period) && <Presets onValues={onValues} />}
          <Chip {...{ filter: period, values, onValues, remove }} isSet={isSet(period)} />
        </fieldset>
      )}
      {set
        .filter((filter) => filter !== period)
        .map((filter) => (
          <Chip key={filter.name} {...{ filter, values, onValues, remove }} isSet />
        ))}
      {offered.length > 0 && (
        <Popup button={(open) => <Button {...open}>{words.filters.add}</Button>}>
          {(close) => <Offered {...{ offered, values, onValues, close }} />}
        </Popup>
      )}
      {set.length > 1 && (
        <Button kind="plain" onClick={() => remove(set)}>
          {words.filters.clear}
        </Button>
      )}
      {tools}
      <span class="hits" role="status">
        {hits}
      </span>
    </div>
  )
}

/** A search box that searches when typing pauses, or at once on Enter. It follows `value`, the search in the address. */
function SearchForm({ value, onSearch, label }: NonNullable<FiltersProps['search']>) {
  const { text, setText, send } = useTyped(value, onSearch)
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <input
          class="input"
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  )
}

const isLinked = ({ kind, options, find }: ListFilter) => !(kind ?? options ?? find)

/** What a filter is set to: a click changes it, unless only links do, and the cross removes it. */
function Chip({
  filter,
  isSet,
  remove,
  ...rest
}: Omit<ControlProps, 'close'> & {
  isSet: boolean
  remove: (filters: readonly ListFilter[]) => void
}) {
  const text = isSet ? textOf(filter, rest.values) : words.filters.ownTime
  return (
    <span class="chip" data-set={isSet}>
      {isLinked(filter) ? (
        <span>{text}</span>
      ) : (
        <Popup
          button={(open) => (
            <button {...open} type="button">
              {text}
            </button>
          )}
        >
          {(close) => <Control {...rest} {...{ filter, close }} />}
        </Popup>
      )}
      {isSet && (
        <button
          type="button"
          aria-label={words.removeFilter(text)}
          onClick={() => remove([filter])}
        >
          ×
        </button>
      )}
    </span>
  )
}

/** What a filter is set to, in words. */
function textOf(filter: ListFilter, values: Values): string {
  const { label, kind, options = [], nameOf } = filter
  const value =
    parametersOf(filter)
      .map((name) => values[name])
      .find(Boolean) ?? ''
  if (kind === 'period') {
    const { from, to } = values
    const [since, until] = [from, to].map((time) => time && formatMoment(time))
    const range = since && until ? `${since} – ${until}` : undefined
    return (
      periods.get(value)?.label ??
      range ??
      words.filters[since ? 'since' : 'until'](since || until || '')
    )
  }
  if (nameOf !== undefined) return nameOf(value)
  const labelOf = (one: string) => options.find((option) => option.value === one)?.label ?? one
  return `${label}: ${value.split(',').map(labelOf).join(', ')}`
}

interface ControlProps extends Pick<FiltersProps, 'values' | 'onValues'> {
  filter: ListFilter
  close: () => void
}

/** The filters that are not set; the chosen one then has the place of the menu. */
function Offered({
  offered,
  ...rest
}: Omit<ControlProps, 'filter'> & { offered: readonly ListFilter[] }) {
  const [filter, choose] = useState<ListFilter>()
  if (filter !== undefined) return <Control {...rest} filter={filter} />
  return offered.map((each) => (
    <button key={each.name} type="button" onClick={() => choose(each)}>
      {each.label}
    </button>
  ))
}

function Control({ filter, values, onValues, close }: ControlProps) {
  const { name, label, kind, options, find, changesOf } = filter
  const ref = useFirstFocus<HTMLDivElement>()
  const change = (value: string) => {
    onValues(changesOf?.(value) ?? { [name]: value })
    close()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a border of its own.
    <div ref={ref} role="group" class="filter-control" aria-label={label}>
      {kind === 'period' && (
        <>
          <Presets {...{ onValues, close }} />
          {times.map((time) => (
            <TypedFilter key={time} {...{ values, onValues, close }} name={time} isTime />
          ))}
        </>
      )}
      {kind === 'text' && <TypedFilter {...{ ...filter, values, onValues, close }} />}
      {find !== undefined && (
        <Picker
          label={label}
          value={undefined}
          onValue={(choice) => choice && change(choice.value)}
          find={find}
        />
      )}
      {options?.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={values[name] === option.value}
          onClick={() => change(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

/** The times that are chosen at once. */
function Presets({ onValues, close }: Pick<FiltersProps, 'onValues'> & { close?: () => void }) {
  return [...periods].map(([time, { label }]) => (
    <button
      key={time}
      type="button"
      class="chip"
      onClick={() => {
        onValues({ from: '', to: '', time })
        close?.()
      }}
    >
      {label}
    </button>
  ))
}

/** A text, or a time; Enter closes it. */
function TypedFilter({
  name,
  label = words.filters.times[name as 'from' | 'to'],
  help,
  isTime = false,
  values,
  onValues,
  close,
}: Omit<ControlProps, 'filter'> & {
  name: string
  label?: string
  help?: string
  isTime?: boolean
}) {
  const { [name]: value = '' } = values
  const { text, setText, send } = useTyped(isTime ? toLocalTime(value) : value, (typed) =>
    onValues(isTime ? { time: '', [name]: fromLocalTime(typed) } : { [name]: typed }, value !== ''),
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
        close()
      }}
    >
      <TextField
        label={label}
        type={isTime ? 'datetime-local' : 'text'}
        placeholder={help ?? ''}
        value={text}
        onValue={setText}
      />
    </form>
  )
}
