import type { Storage } from '../../../platform/storage/index.ts'
import {
  type CountedOutcome,
  countedAs,
  countedOutcomes,
  type DeliveryTables,
  defaultTransport,
  deliveryEventTypes,
  deliverySources,
  noTransport,
} from '../../delivery/index.ts'
import { findTransportNames } from '../../transports/index.ts'
import {
  type CountPoint,
  type CountRange,
  findTransports,
  readCounts,
  type StatsKey,
} from './read-counts.ts'

/** Which deliveries to count, and how. */
export interface StatsQuery {
  range: CountRange
  by: StatsKey
  /** Ids of transports, as in `DeliveryCountRow`; undefined for all. */
  transportIds: readonly number[] | undefined
  /** Undefined for all. */
  outcomes: readonly CountedOutcome[] | undefined
}

/** The counts of one series; those of a transport have its id and name. */
export interface StatsSeries {
  key: string
  id?: number | null
  name?: string | null
  total: number
  /** One for each step. */
  counts: number[]
}

export const seriesMax = 100

/**
 * Counts deliveries by time.
 *
 * @returns The series; undefined if there are more than `seriesMax` transports.
 */
export async function readStats(
  storage: Storage,
  { range, by, transportIds: given, outcomes = countedOutcomes }: StatsQuery,
): Promise<StatsSeries[] | undefined> {
  if (by === 'event') return readEvents(storage, { range, transportIds: given })
  const limit = seriesMax + 1
  const isFound = by === 'transport' && given === undefined
  const transportIds = isFound ? await findTransports(storage, { range, outcomes, limit }) : given
  if (isFound && transportIds?.length === limit) return undefined
  if (transportIds?.length === 0) return []
  const points = await readCounts(storage, by, { range, filter: { transportIds, outcomes } })
  if (by === 'outcome') return toSeries(outcomes, { range, points })
  if (by === 'source') return toSeries(deliverySources, { range, points })
  const series = await nameTransports(storage, transportIds ?? [], { range, points })
  return isFound ? mostFirst(series) : series
}

/** Each event counts at the time of its delivery, once for each delivery and type. */
async function readEvents(
  storage: Storage,
  { range, transportIds }: Pick<StatsQuery, 'range' | 'transportIds'>,
): Promise<StatsSeries[]> {
  const counted = deliveryEventTypes.map(countedAs)
  const filter = { transportIds, outcomes: counted }
  const points = await readCounts(storage, 'event', { range, filter })
  return toSeries(counted, { range, points }).map((series, index) => ({
    ...series,
    key: deliveryEventTypes[index] ?? series.key,
  }))
}

interface Counted {
  range: CountRange
  points: readonly CountPoint[]
}

function toSeries(keys: readonly (string | number)[], { range, points }: Counted): StatsSeries[] {
  const { from, to, stepMs } = range
  const stepCount = (to - from) / stepMs
  const byKey = Map.groupBy(points, ({ key }) => key)
  return keys.map((key) => {
    const counts = new Array<number>(stepCount).fill(0)
    let total = 0
    for (const { at, count } of byKey.get(key) ?? []) {
      counts[(at - from) / stepMs] = count
      total += count
    }
    return { key: String(key), total, counts }
  })
}

/** The transports that were found by their hours may have no delivery in a shorter range. */
function mostFirst(series: readonly StatsSeries[]): StatsSeries[] {
  return series.filter(({ total }) => total > 0).sort((one, other) => other.total - one.total)
}

/** The key of the deliveries through the configured default, and of those without a transport. */
export const defaultKey = 'default'
export const noTransportKey = 'none'

async function nameTransports(
  storage: Storage,
  ids: readonly number[],
  counted: Counted,
): Promise<StatsSeries[]> {
  const names = await findLoggedTransportNames(storage, ids)
  return toSeries(ids, counted).map((series, index) => {
    const id = ids[index] ?? noTransport
    if (id === noTransport) return { ...series, key: noTransportKey, id: null, name: null }
    if (id === defaultTransport) return { ...series, key: defaultKey, id: null, name: defaultKey }
    return { ...series, id, name: names.get(id) ?? null }
  })
}

/** Finds the names of transports; of a deleted one, the name that it had at its last delivery. */
export async function findLoggedTransportNames(
  storage: Storage,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const names = await findTransportNames(storage, ids)
  const db = storage.tables<DeliveryTables>()
  for (const id of ids) {
    if (id <= defaultTransport || names.has(id)) continue
    const last = db.selectFrom('deliveries').select('transport').where('transport_id', '=', id)
    const row = await last.orderBy('started_at', 'desc').limit(1).executeTakeFirst()
    if (typeof row?.transport === 'string') names.set(id, row.transport)
  }
  return names
}
