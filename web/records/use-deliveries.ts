import { useState } from 'preact/hooks'
import { ask, type Body, type Schema, serverNow } from '../lib/api.ts'
import { ofBrand } from '../lib/brand.ts'
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
  const known = polled !== undefined && polled.page === data ? polled : undefined
  const rows = known?.rows ?? data?.deliveries ?? []
  useRepeat(async (signal) => {
    if (data === undefined || position !== undefined) return
    const newest = rows[0] === undefined ? openedAt : Date.parse(rows[0].date)
    const from = new Date(newest - lateMs).toISOString()
    const since = filters.from !== undefined && filters.from > from ? filters.from : from
    if (filters.to !== undefined && Date.parse(filters.to) < Date.parse(since)) return
    const query = { ...filters, from: since, limit: pageSize }
    const options = { query, signal, isBackground: true }
    const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
    const latest = new Map(deliveries.map((each) => [each.id, each]))
    const shown = rows.map((row) => latest.get(row.id) ?? row)
    for (const { id } of rows) latest.delete(id)
    setPolled({ page: data, rows: shown, newCount: latest.size })
  }, intervalMs)
  return {
    loaded: { ...loaded, data: data && { ...data, deliveries: rows } },
    newCount: known?.newCount ?? 0,
  }
}

interface Polled {
  /** The page as it was loaded: what was asked for before it is out of date. */
  page: DeliveryPage
  /** Its deliveries, as they were read last. */
  rows: Delivery[]
  /** How many new deliveries are not shown yet. */
  newCount: number
}

/** Counts all uncertain deliveries of the shown brand. */
export async function countUncertain(signal?: AbortSignal): Promise<number> {
  const query = { outcome: 'uncertain', limit: 1, total: 1, ...ofBrand() }
  const options = { query, signal, isBackground: true }
  return (await ask('GET', '/api/deliveries', options)).body.total ?? 0
}
