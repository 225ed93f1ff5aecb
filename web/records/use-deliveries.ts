import { useEffect, useState } from 'preact/hooks'
import { ask, type Schema } from '../lib/api.ts'
import { type Loaded, useData } from '../lib/use-data.ts'
import { useRepeat } from '../lib/use-repeat.ts'
import type { Filters } from './delivery-filters.ts'

export type Delivery = Schema<'Delivery'>

export interface DeliveryPage {
  deliveries: readonly Delivery[]
  /** The value of `next` for the next page; null at the end. */
  next: number | null
  /** Why nothing was found where another filter may find something. */
  warnings?: readonly string[] | undefined
}

export interface DeliveryList {
  loaded: Loaded<DeliveryPage>
  /** How many new deliveries are not shown yet. */
  newCount: number
  /** Shows the new deliveries above the others. */
  showNew: () => void
}

export const pageSize = 50
const intervalMs = 5_000
/** Deliveries of a broadcast are listed some seconds after their start. */
const lateMs = 60_000

/**
 * A page of the list. On the first page, outcomes that become known are shown, and new deliveries are counted until the
 * reader wants to see them, so that no row moves.
 */
export function useDeliveries(filters: Filters, position: string | undefined): DeliveryList {
  const key = JSON.stringify([filters, position])
  const loaded = useData(
    async (signal): Promise<DeliveryPage & { key: string }> => {
      const query = { ...filters, next: position, limit: pageSize }
      const { body } = await ask('GET', '/api/deliveries', { query, signal })
      return { ...body, key }
    },
    [key],
  )
  const [openedAt] = useState(() => Date.now())
  const [rows, setRows] = useState<readonly Delivery[]>([])
  const [fresh, setFresh] = useState<readonly Delivery[]>([])
  const { data } = loaded
  useEffect(() => {
    setRows(data?.deliveries ?? [])
    setFresh([])
  }, [data])
  useRepeat(async (signal) => {
    if (data?.key !== key || position !== undefined) return
    const newest = rows[0] === undefined ? openedAt : Date.parse(rows[0].date)
    const from = new Date(newest - lateMs).toISOString()
    const since = filters.from !== undefined && filters.from > from ? filters.from : from
    if (filters.to !== undefined && Date.parse(filters.to) < Date.parse(since)) return
    const query = { ...filters, from: since, limit: pageSize }
    const options = { query, signal, isBackground: true }
    const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
    const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
    const shown = new Set(rows.map(({ id }) => id))
    setRows(rows.map((row) => byId.get(row.id) ?? row))
    setFresh(deliveries.filter(({ id }) => !shown.has(id)))
  }, intervalMs)
  return {
    loaded: {
      ...loaded,
      // Rows of the page before stay until those of this page are there.
      data: data && { ...data, deliveries: rows.length === 0 ? data.deliveries : rows },
    },
    newCount: fresh.length,
    showNew() {
      // Between them and the rows that are shown there may be more.
      if (fresh.length >= pageSize) return loaded.reload()
      setRows([...fresh, ...rows])
      setFresh([])
    },
  }
}
