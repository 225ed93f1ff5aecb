import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { LinkedFilters } from '../../design/linked-filters.tsx'
import {
  canFilter,
  type FilterName,
  type Filters,
  fromLocalTime,
  toLocalTime,
} from '../../records/delivery-filters.ts'
import { MauticField } from '../../records/mautic-field.tsx'
import { words } from '../../words/common.ts'
import { deliveryWords } from '../../words/deliveries.ts'

const texts = deliveryWords.filters
const labels = deliveryWords.labels

const outcomes = optionsOf(words.outcomes)
const sources = optionsOf(words.sources)

function optionsOf(names: Readonly<Record<string, string>>) {
  const options = Object.entries(names).map(([value, label]) => ({ value, label }))
  return [{ value: '', label: words.all }, ...options]
}

/** Filters that only links set. */
const linked = ['transportId', 'member', 'emailId', 'contactId', 'broadcastId'] as const
/** Filters that are folded unless one of them is set. */
const more = ['sender', 'search', 'messageId', 'from', 'to'] as const

/** The filters of the list. Choices apply at once, texts with Enter. Give it the filters as `key`. */
export function FilterForm({
  filters,
  onFilters,
}: {
  filters: Filters
  onFilters: (filters: Filters) => void
}) {
  const [draft, setDraft] = useState(filters)
  const set = (name: FilterName) => (value: string) => setDraft({ ...draft, [name]: value })
  const choose = (name: FilterName) => (value: string) => onFilters({ ...draft, [name]: value })
  const text = (name: FilterName) =>
    canFilter(name) && (
      <TextField label={labels[name]} value={draft[name] ?? ''} onValue={set(name)} />
    )
  const time = (name: 'from' | 'to') => (
    <TextField
      label={labels[name]}
      type="datetime-local"
      value={toLocalTime(draft[name])}
      onValue={(value) => set(name)(fromLocalTime(value))}
    />
  )
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        onFilters(draft)
      }}
    >
      <div class="filters">
        {text('recipient')}
        <SelectField
          label={labels.outcome}
          value={draft.outcome ?? ''}
          onValue={choose('outcome')}
          options={withCurrent(outcomes, draft.outcome)}
        />
        <SelectField
          label={labels.source}
          value={draft.source ?? ''}
          onValue={choose('source')}
          options={withCurrent(sources, draft.source)}
        />
        {text('transport')}
        <MauticField
          label={labels.mautic}
          none={words.all}
          value={draft.mautic ?? ''}
          // Ids of emails and contacts are those of the Mautic before.
          onValue={(mautic) => onFilters({ ...draft, mautic, emailId: '', contactId: '' })}
        />
        <div class="row">
          <Button kind="primary" type="submit">
            {texts.apply}
          </Button>
          {isFiltered && (
            <ButtonLink kind="plain" href="/deliveries">
              {texts.clear}
            </ButtonLink>
          )}
        </div>
      </div>
      <details open={more.some((name) => (filters[name] ?? '') !== '')}>
        <summary>{texts.more}</summary>
        <div class="filters">
          {text('sender')}
          {text('search')}
          {text('messageId')}
          {time('from')}
          {time('to')}
        </div>
      </details>
      <LinkedFilters
        filters={linked.map((name) => [name, textOf(name, filters[name])])}
        onRemove={(name) => onFilters({ ...filters, [name]: '' })}
      />
    </form>
  )
}

/** An address may ask for several values with commas, which the form keeps. */
function withCurrent(options: { value: string; label: string }[], value = '') {
  if (options.some((option) => option.value === value)) return options
  return [...options, { value, label: value }]
}

function textOf(name: FilterName, value = ''): string | undefined {
  return value === '' ? undefined : `${labels[name]}: ${value}`
}
