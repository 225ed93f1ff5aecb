import type { Caller } from '../../../kit/caller.ts'
import { ownedBy } from '../../../platform/resource/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { BrandTables } from '../../brands/index.ts'
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
  type CountFilter,
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
  /** See `visibleBrands`. */
  brands: readonly number[] | undefined
  /** Names are those that they see. */
  reader: Caller
  /** Undefined for all. */
  outcomes: readonly CountedOutcome[] | undefined
}

/** The counts of one series; those of a transport or a brand have its id and name. */
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
  { range, by, transportIds: given, brands, reader, outcomes = countedOutcomes }: StatsQuery,
): Promise<StatsSeries[] | undefined> {
  if (by === 'event') return readEvents(storage, { range, transportIds: given, brands })
  if (by === 'brand')
    return readBrands(storage, { range, reader, filter: { transportIds: given, brands, outcomes } })
  const limit = seriesMax + 1
  const isFound = by === 'transport' && given === undefined
  const transportIds = isFound
    ? await findTransports(storage, { range, outcomes, brands, limit })
    : given
  if (isFound && transportIds?.length === limit) return undefined
  if (transportIds?.length === 0) return []
  const filter = { transportIds, brands, outcomes }
  const points = await readCounts(storage, by, { range, filter })
  if (by === 'outcome') return toSeries(outcomes, { range, points })
  if (by === 'source') return toSeries(deliverySources, { range, points })
  const series = await nameTransports(storage, transportIds ?? [], { range, points, reader })
  return isFound ? mostFirst(series) : series
}

/** Each event counts at the time of its delivery, once for each delivery and type. */
async function readEvents(
  storage: Storage,
  { range, transportIds, brands }: Pick<StatsQuery, 'range' | 'transportIds' | 'brands'>,
): Promise<StatsSeries[]> {
  const counted = deliveryEventTypes.map(countedAs)
  const filter = { transportIds, brands, outcomes: counted }
  const points = await readCounts(storage, 'event', { range, filter })
  return toSeries(counted, { range, points }).map((series, index) => ({
    ...series,
    key: deliveryEventTypes[index] ?? series.key,
  }))
}

/** One series for each brand; without a choice of brands, the last one has what belongs to none of them. */
async function readBrands(
  storage: Storage,
  { range, reader, filter }: Pick<StatsQuery, 'range' | 'reader'> & { filter: CountFilter },
): Promise<StatsSeries[] | undefined> {
  const query = storage.tables<BrandTables>().selectFrom('brands').select(['id', 'name'])
  const own = query.where(ownedBy({ brands: filter.brands ?? reader.brands }, 'id'))
  const rows = await own
    .orderBy('id')
    .limit(seriesMax + 1)
    .execute()
  if (rows.length > seriesMax) return undefined
  const ids = rows.map(({ id }) => id)
  const ofSome = { range, filter: { ...filter, brands: ids } }
  const points = ids.length === 0 ? [] : await readCounts(storage, 'brand', ofSome)
  const series = toSeries(ids, { range, points }).map((each, index) => ({
    ...each,
    id: ids[index] ?? null,
    name: rows[index]?.name ?? null,
  }))
  if (filter.brands !== undefined) return series
  const all = await readCounts(storage, 'brand', { range, filter })
  const rest = [...all, ...points.map((point) => ({ ...point, count: -point.count }))]
  const ofNone = rest.map((point) => ({ ...point, key: noneKey }))
  const none = toSeries([noneKey], { range, points: ofNone })
  return [...series, ...none.map((each) => ({ ...each, id: null, name: null }))]
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
      const step = (at - from) / stepMs
      counts[step] = (counts[step] ?? 0) + count
      total += count
    }
    return { key: String(key), total, counts }
  })
}

/** The transports that were found by their hours may have no delivery in a shorter range. */
function mostFirst(series: readonly StatsSeries[]): StatsSeries[] {
  return series.filter(({ total }) => total > 0).sort((one, other) => other.total - one.total)
}

/** The key of the deliveries through the configured default, and of those without a transport or a brand. */
export const defaultKey = 'default'
export const noneKey = 'none'

async function nameTransports(
  storage: Storage,
  ids: readonly number[],
  { reader, ...counted }: Counted & Pick<StatsQuery, 'reader'>,
): Promise<StatsSeries[]> {
  const names = await findLoggedTransportNames(storage, ids, reader)
  return toSeries(ids, counted).map((series, index) => {
    const id = ids[index] ?? noTransport
    if (id === noTransport) return { ...series, key: noneKey, id: null, name: null }
    if (id === defaultTransport) return { ...series, key: defaultKey, id: null, name: defaultKey }
    return { ...series, id, name: names.get(id) ?? null }
  })
}

/** The deliveries of a transport among which one of the reader is searched. */
const searchedMax = 1_000

/** Finds the names of transports; of one that is deleted or not seen, the name that it had at the reader's last delivery. */
export async function findLoggedTransportNames(
  storage: Storage,
  ids: readonly number[],
  reader: Caller,
): Promise<Map<number, string>> {
  const names = await findTransportNames(storage, ids, reader)
  const db = storage.tables<DeliveryTables>()
  const searched = reader.brands === 'all' ? 1 : searchedMax
  for (const id of ids) {
    if (id <= defaultTransport || names.has(id)) continue
    const ofTransport = db.selectFrom('deliveries').where('transport_id', '=', id)
    const columns = ofTransport.select(['transport', 'brand_id', 'started_at'])
    const newest = columns.orderBy('started_at', 'desc').limit(searched)
    const seen = db.selectFrom(newest.as('newest')).select('transport').where(ownedBy(reader))
    const row = await seen.orderBy('started_at', 'desc').limit(1).executeTakeFirst()
    if (typeof row?.transport === 'string') names.set(id, row.transport)
  }
  return names
}
