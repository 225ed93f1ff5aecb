import type { Choice } from '../design/picker.tsx'
import { useAddress } from '../lib/use-address.ts'
import { words } from '../words/common.ts'
import { labels } from '../words/records.ts'
import { canFilter } from './delivery-filters.ts'
import { type ListFilter, valuesOf } from './filters.tsx'
import { useMautics } from './mautics.tsx'
import { useTransportFilter } from './transports.tsx'

const searched: ListFilter = { name: 'recipient', label: labels.recipient, kind: 'text' }

/**
 * What finds messages, for `<Filters>`: their recipient as the search, and the filters that the user may use. Those by
 * transport (or what stands for one) and by Mautic are between the `first` and the `others`.
 */
export function useMessageFilters(
  first: readonly ListFilter[],
  others: readonly ListFilter[],
  noTransports: readonly Choice[],
) {
  const { query, go } = useAddress()
  const origins = useOriginFilters(query['mautic'], noTransports)
  const all = [searched, ...first, ...origins, ...others]
  const values = valuesOf(all, query)
  const { recipient: value = '' } = values
  const search = {
    value,
    onSearch: (recipient: string) => go({ recipient }, value !== ''),
    label: words.searchRecipients,
  }
  return {
    values,
    onValues: go,
    search: canFilter('recipient') ? search : undefined,
    filters: all.slice(1).filter(({ name }) => canFilter(name)),
  }
}

function useOriginFilters(
  mautic: string | undefined,
  others: readonly Choice[],
): readonly ListFilter[] {
  const mautics = useMautics().map(({ id, name }) => ({ value: String(id), label: name }))
  const byTransport: ListFilter = {
    ...useTransportFilter('transportId', labels.transport, others),
    parameters: ['transportId', 'transport'],
    changesOf: (value) =>
      others.some((other) => other.value === value)
        ? { transportId: '', transport: value }
        : { transportId: value, transport: '' },
  }
  if (mautics.length === 0 && !mautic) return [byTransport]
  const byMautic: ListFilter = {
    name: 'mautic',
    label: labels.mautic,
    options: mautics,
    // The ids of emails and contacts are those of one Mautic.
    changesOf: (id) => ({ mautic: id, emailId: '', contactId: '' }),
  }
  return [byTransport, byMautic]
}
