import { SelectField } from '../../design/field.tsx'
import { LinkedFilters } from '../../design/linked-filters.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { can } from '../../lib/session.ts'
import type { List } from '../../lib/use-list.ts'
import { findTransports } from '../../records/find.ts'
import { type Filters, nameOfTransport } from '../../records/suppression-filters.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { reasonOptions } from './reasons.ts'

const linked = ['address', 'broadcastId', 'deliveryId'] as const

/** Search and filters of the list. Links set some of the filters; each can be removed. */
export function FilterBar({
  list,
  filters,
  nameOf,
}: {
  list: List
  filters: Filters
  /** Names a transport. */
  nameOf: (transportId: number) => string
}) {
  const { reason = '', transportId, transport } = filters
  return (
    <>
      <div class="toolbar">
        <SearchForm {...list.searching} label={text.search} />
        <SelectField
          label={text.filter}
          value={reason}
          onValue={(value) => list.go({ reason: value })}
          options={[{ value: '', label: text.every }, ...reasonOptions]}
        />
        {can('multipleTransports:view') && (
          <Picker
            label={text.transport}
            value={choiceOf(transportId ?? transport, nameOfTransport(filters, nameOf))}
            onValue={(choice) => list.go(transportFilter(choice?.value))}
            find={findWithDefault}
          />
        )}
      </div>
      <LinkedFilters
        filters={linked.map((name) => [name, filters[name] && text.linked[name](filters[name])])}
        onRemove={(name) => list.go({ [name]: undefined })}
      />
    </>
  )
}

const standard: Choice = { value: 'default', label: text.defaultTransport }

function choiceOf(value: string | undefined, label: string | undefined): Choice | undefined {
  return value === undefined || label === undefined ? undefined : { value, label }
}

/** The filter that a choice of a transport stands for: an id, or the default. */
function transportFilter(value: string | undefined): Filters & Record<string, string | undefined> {
  const isDefault = value === standard.value
  return {
    transportId: isDefault ? undefined : value,
    transport: isDefault ? value : undefined,
  }
}

async function findWithDefault(search: string, signal: AbortSignal): Promise<Choice[]> {
  const found = await findTransports(search, signal)
  return search === '' ? [standard, ...found] : found
}
