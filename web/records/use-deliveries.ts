import { useEffect, useState } from 'preact/hooks'
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
 * A page of the list; other filters need another instance. On the first page, outcomes that become known are shown, and new deliveries are counted until the
 * reader wants to see them, so that no row moves.
 */
export function useDeliveries(filters: Filters, position: string | undefined) {
  const loaded = useData(async (signal): Promise<DeliveryPage> => {
    const query = { ...filters, next: position, limit: pageSize, total: 1 }
    return (await ask('GET', '/api/deliveries', { query, signal })).body
  }, [])
  const [openedAt] = useState(serverNow)
  const { data } = loaded
  const [list, setList] = useState<ShownList>({ page: data, rows: [], fresh: [] })
  useEffect(() => setList({ page: data, rows: data?.deliveries ?? [], fresh: [] }), [data])
  const { rows, fresh } = list
  useRepeat(async (signal) => {
    if (data === undefined || position !== undefined) return
    const newest = rows[0] === undefined ? openedAt : Date.parse(rows[0].date)
    const from = new Date(newest - lateMs).toISOString()
    const since = filters.from !== undefined && filters.from > from ? filters.from : from
    if (filters.to !== undefined && Date.parse(filters.to) < Date.parse(since)) return
    const query = { ...filters, from: since, limit: pageSize }
    const options = { query, signal, isBackground: true }
    const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
    setList((shown) => (shown.page === data ? renew(shown, deliveries) : shown))
  }, intervalMs)
  return {
    loaded: {
      ...loaded,
      // A page that has just been loaded is not in the list yet.
      data: data && { ...data, deliveries: rows.length === 0 ? data.deliveries : rows },
    },
    /** How many new deliveries are not shown yet. */
    newCount: fresh.length,
    /** Shows the new deliveries above the others. */
    showNew: () => {
      // Between them and the rows that are shown there may be more.
      if (fresh.length >= pageSize) return loaded.reload()
      setList((shown) => ({ ...shown, rows: [...shown.fresh, ...shown.rows], fresh: [] }))
    },
  }
}

/** What is shown of a page, which changes while it is read again. */
interface ShownList {
  /** The page as it was loaded: what was asked for before it is out of date. */
  page: DeliveryPage | undefined
  rows: Delivery[]
  /** The new deliveries that are not shown yet. */
  fresh: Delivery[]
}

function renew(shown: ShownList, deliveries: Delivery[]): ShownList {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const shownIds = new Set(shown.rows.map(({ id }) => id))
  return {
    ...shown,
    rows: shown.rows.map((row) => byId.get(row.id) ?? row),
    fresh: deliveries.filter(({ id }) => !shownIds.has(id)),
  }
}
