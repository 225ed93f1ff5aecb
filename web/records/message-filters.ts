import type { Choice } from '../design/picker.tsx'
import { useAddress } from '../lib/use-address.ts'
import { words } from '../words/common.ts'
import { mauticNameWords } from '../words/mautic-names.ts'
import { labels } from '../words/records.ts'
import { canFilter } from './delivery-filters.ts'
import { type ListFilter, valuesOf } from './filters.tsx'
import { findTransports } from './find.ts'
import { useMautics } from './mautics.tsx'
import { useTransportNames } from './transports.tsx'

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
  const origins = useOriginFilters(query, noTransports)
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
  { transportId, mautic }: Readonly<Record<string, string | undefined>>,
  others: readonly Choice[],
): readonly ListFilter[] {
  const nameOf = useTransportNames(Number(transportId) > 0 ? [Number(transportId)] : [])
  const mautics = useMautics().map(({ id, name }) => ({ value: String(id), label: name }))
  const labelIn = (choices: readonly Choice[], value: string) =>
    choices.find((choice) => choice.value === value)?.label
  const byTransport: ListFilter = {
    name: 'transportId',
    label: labels.transport,
    parameters: ['transportId', 'transport'],
    nameOf: (value) => `${labels.transport}: ${labelIn(others, value) ?? nameOf(Number(value))}`,
    changesOf: (value) =>
      labelIn(others, value) === undefined
        ? { transportId: value, transport: '' }
        : { transportId: '', transport: value },
    async find(text, signal) {
      const typed = text.trim().toLowerCase()
      const matching = others.filter(({ label }) => label.toLowerCase().includes(typed))
      return [...matching, ...(await findTransports(text, signal))]
    },
  }
  if (mautics.length === 0 && !mautic) return [byTransport]
  const byMautic: ListFilter = {
    name: 'mautic',
    label: labels.mautic,
    options: mautics,
    nameOf: (id) => `${labels.mautic}: ${labelIn(mautics, id) ?? mauticNameWords.number(id)}`,
    // The ids of emails and contacts are those of one Mautic.
    changesOf: (id) => ({ mautic: id, emailId: '', contactId: '' }),
  }
  return [byTransport, byMautic]
}
