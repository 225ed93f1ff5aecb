import { useState } from 'preact/hooks'
import { ask, type Body, type Schema, serverNow } from '../lib/api.ts'
import { useData } from '../lib/use-data.ts'
import { useRepeat } from '../lib/use-repeat.ts'
import type { Filters } from './delivery-filters.ts'

export type Delivery = Schema<'Delivery'>

export type DeliveryPage = Body<'GET', '/api/deliveries'>

export const pageSize = 50
const intervalMs = 5_000
/** A delivery may be listed some seconds after its start. */
const lateMs = 60_000

/**
 * A page of the list; other filters need another instance. On the first page, outcomes that become known are shown, and new
 * deliveries are counted until the reader wants to see them, so that no row moves.
 */
export function useDeliveries(filters: Filters, position: string | undefined) {
  const loaded = useData(async (signal): Promise<DeliveryPage> => {
    const query = { ...filters, next: position, limit: pageSize, total: 1 }
    return (await ask('GET', '/api/deliveries', { query, signal })).body
  }, [])
  const [openedAt] = useState(serverNow)
  const [polled, setPolled] = useState<Polled>()
  const { data } = loaded
  const byId = polled?.page === data ? polled?.byId : undefined
  useRepeat(async (signal) => {
    if (data === undefined || position !== undefined) return
    const newest = data.deliveries[0] ? Date.parse(data.deliveries[0].date) : openedAt
    const from = new Date(newest - lateMs).toISOString()
    const since = filters.from !== undefined && filters.from > from ? filters.from : from
    if (filters.to !== undefined && Date.parse(filters.to) < Date.parse(since)) return
    const query = { ...filters, from: since, limit: pageSize }
    const options = { query, signal, isBackground: true }
    const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
    const latest = deliveries.map((each) => [each.id, each] as const)
    setPolled({ page: data, byId: new Map([...(byId ?? []), ...latest]) })
  }, intervalMs)
  const deliveries = data?.deliveries.map((row) => byId?.get(row.id) ?? row) ?? []
  const shownIds = new Set(deliveries.map(({ id }) => id))
  return {
    loaded: { ...loaded, data: data && { ...data, deliveries } },
    /** How many new deliveries are not shown yet. */
    newCount: [...(byId?.keys() ?? [])].filter((id) => !shownIds.has(id)).length,
  }
}

/** The deliveries of a page and those after it, as they were read last. */
interface Polled {
  /** The page as it was loaded: what was asked for before it is out of date. */
  page: DeliveryPage
  byId: ReadonlyMap<number, Delivery>
}
