import {
  type Expression,
  expressionBuilder,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { CountedEvent, CountedOutcome, DeliveryTables } from '../../delivery/index.ts'
import { everyTransport, hourMs, minuteMs, noTransport } from '../../delivery/index.ts'

/** What a series is: deliveries through one transport, of one brand, with one outcome, from one source, or with one event. */
export type StatsKey = 'transport' | 'brand' | 'outcome' | 'source' | 'event'

/** Which deliveries to count. */
export interface CountFilter {
  /** Ids of transports, as in `DeliveryCountRow`; undefined for all. */
  transportIds: readonly number[] | undefined
  /** Default: all deliveries, with a brand and without one. */
  brands?: readonly number[] | undefined
  /** Default: all. */
  outcomes: readonly (CountedOutcome | CountedEvent)[]
}

/** A time that is divided into steps; `from` and `to` are multiples of the step. */
export interface CountRange {
  from: number
  /** Exclusive. */
  to: number
  stepMs: number
}

/** The deliveries of one step that belong to one series. */
export interface CountPoint {
  at: number
  key: string | number
  count: number
}

const keyColumns: Readonly<Record<StatsKey, string>> = {
  transport: 'transport_id',
  brand: 'brand_id',
  outcome: 'outcome',
  source: 'source',
  // It is counted as an outcome: see `countedAs`.
  event: 'outcome',
}

/** Counts deliveries by step and by key. */
export async function readCounts(
  storage: Storage,
  by: StatsKey,
  { range, filter }: { range: CountRange; filter: CountFilter },
): Promise<CountPoint[]> {
  const key = sql.ref(keyColumns[by])
  const columns = sql`started_at - started_at % ${sql.lit(range.stepMs)} as at, ${key} as key`
  const points: CountPoint[] = []
  for await (const rows of sumCounts<CountPoint>(storage, columns, { range, filter }))
    points.push(...rows)
  return points
}

/** The rows that one query may sum: it blocks SQLite for some ten milliseconds. */
const spansPerQuery = 5_000

/**
 * Sums counts by two columns, for one part of the range after the other. Each query sees the counts together with the changes
 * that are not folded yet.
 */
export async function* sumCounts<Row extends { count: number }>(
  storage: Storage,
  columns: RawBuilder<unknown>,
  { range, filter }: { range: CountRange; filter: CountFilter },
): AsyncGenerator<Row[]> {
  const db = storage.tables<DeliveryTables>()
  const { stepMs } = range
  const spanMs = spanOf(stepMs)
  const seriesCount = (filter.transportIds?.length ?? 1) * (filter.brands?.length ?? 1)
  const spans = Math.max(1, Math.floor(spansPerQuery / seriesCount))
  const sliceMs = Math.max(stepMs, Math.floor((spans * spanMs) / stepMs) * stepMs)
  for (let from = range.from; from < range.to; from += sliceMs) {
    if (from > range.from) await pause()
    const slice = { from, to: Math.min(from + sliceMs, range.to) }
    const { rows } = await sql<Row>`select ${columns}, sum(count) as count
      from ${countRows(db, { spanMs, slice, filter })} as counted group by 1, 2`.execute(db)
    yield rows.map((row) => ({ ...row, count: Number(row.count) }))
  }
}

/** The longest span that divides a step: it has the fewest rows. */
function spanOf(stepMs: number): number {
  return stepMs % hourMs === 0 ? hourMs : minuteMs
}

type Slice = Pick<CountRange, 'from' | 'to'>

/** The counts of a slice, and the changes that are not folded yet. */
function countRows(
  db: Kysely<DeliveryTables>,
  { spanMs, slice, filter }: { spanMs: number; slice: Slice; filter: CountFilter },
) {
  const { transportIds = [everyTransport], brands = ofAllBrands } = filter
  const columns = ['started_at', 'transport_id', 'brand_id', 'source', 'outcome'] as const
  const changes = db.selectFrom('delivery_count_changes').select(columns).select('change as count')
  return db
    .selectFrom('delivery_counts')
    .select(columns)
    .select('count')
    .where('span_ms', '=', sql.lit(spanMs))
    .where(isCounted(slice, { ...filter, transportIds, brands }))
    .unionAll(changes.where(isCounted(slice, filter)))
}

/** The counts of all deliveries. Changes have the brand of theirs. */
const ofAllBrands = [0]

const where = expressionBuilder<DeliveryTables, 'delivery_counts'>()

function isCounted(
  { from, to }: Slice,
  { transportIds, brands, outcomes }: CountFilter,
): Expression<SqlBool> {
  return where.and([
    where('started_at', '>=', from),
    where('started_at', '<', to),
    where('outcome', 'in', outcomes),
    ...(transportIds === undefined ? [] : [where('transport_id', 'in', transportIds)]),
    ...(brands === undefined ? [] : [where('brand_id', 'in', brands)]),
  ])
}

/** The most hours that one query looks for transports in; the first one looks in one hour. */
const hoursPerQueryMax = 64

/**
 * Finds the transports with deliveries in the hours of a range, at most `limit`. With many transports it is done after a
 * few hours; with few, there is little to read.
 */
export async function findTransports(
  storage: Storage,
  { range, limit, ...filter }: { range: Slice; limit: number } & Omit<CountFilter, 'transportIds'>,
): Promise<number[]> {
  const found = new Set<number>()
  let hours = 1
  for (let from = range.from - (range.from % hourMs); from < range.to; ) {
    const slice = { from, to: Math.min(from + hours * hourMs, range.to) }
    for (const outcome of filter.outcomes)
      for (const id of await findInSlice(storage, { slice, outcome, limit, brands: filter.brands }))
        found.add(id)
    if (found.size >= limit) break
    from = slice.to
    hours = Math.min(hours * 2, hoursPerQueryMax)
    await pause()
  }
  return [...found].slice(0, limit)
}

async function findInSlice(
  storage: Storage,
  {
    slice,
    outcome,
    limit,
    brands,
  }: { slice: Slice; outcome: CountedOutcome | CountedEvent; limit: number } & Pick<
    CountFilter,
    'brands'
  >,
): Promise<number[]> {
  const db = storage.tables<DeliveryTables>()
  const isInSlice = (of: CountFilter['brands']) =>
    isCounted(slice, { transportIds: undefined, brands: of, outcomes: [outcome] })
  const counts = db
    .selectFrom('delivery_counts')
    .select('transport_id')
    .where('span_ms', '=', sql.lit(hourMs))
    .where('transport_id', '>=', sql.lit(noTransport))
    .where(isInSlice(brands ?? ofAllBrands))
  const changes = db
    .selectFrom('delivery_count_changes')
    .select('transport_id')
    .where(isInSlice(brands))
  const rows = await db
    .selectFrom(counts.unionAll(changes).as('counted'))
    .select('transport_id')
    .distinct()
    .limit(limit)
    .execute()
  return rows.map((row) => row.transport_id)
}
