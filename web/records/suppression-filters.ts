import { withQuery } from '../lib/api.ts'
import { suppressionWords as text } from '../words/suppressions.ts'

const names = [
  'reason',
  'address',
  'broadcastId',
  'transportId',
  'transport',
  'deliveryId',
] as const

/** The filters of the list, as they are called in the address and in the API. */
export type Filters = Partial<Record<(typeof names)[number], string>>

/** The filters in an address; a query may have more. */
export function readFilters(query: Readonly<Record<string, string | undefined>>): Filters {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** The address of the list with these filters. */
export function suppressionsHref(filters: Filters): string {
  return withQuery('/suppressions', filters)
}

/** The filter for the bounces that a transport has found; null for the configured default. */
export function ofTransport(transportId: number | null): Filters {
  return transportId === null ? { transport: 'default' } : { transportId: String(transportId) }
}

/** The name of the transport that the list is filtered by; undefined without this filter. */
export function nameOfTransport(
  { transportId, transport }: Filters,
  nameOf: (transportId: number) => string,
): string | undefined {
  if (transportId !== undefined) return nameOf(Number(transportId))
  return transport === undefined ? undefined : text.defaultTransport
}

/** What found the bounces that the list is filtered by, for people; empty if it is not filtered by that. */
export function foundByOf(
  filters: Filters,
  nameOf: (transportId: number) => string,
): readonly string[] {
  const { broadcastId, deliveryId } = filters
  const transport = nameOfTransport(filters, nameOf)
  return [
    ...(broadcastId === undefined ? [] : [text.undo.broadcast(broadcastId)]),
    ...(transport === undefined ? [] : [text.undo.transport(transport)]),
    ...(deliveryId === undefined ? [] : [text.undo.delivery(deliveryId)]),
  ]
}
