import { type Kysely, type RawBuilder, sql } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { DatabaseFeatures, ListReads } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import {
  type DeliveryPlan,
  type DeliveryPosition,
  type DeliveryQuery,
  isDirect,
  planDeliveries,
  recipientPrefix,
  selectAmong,
  selectByPrefix,
  selectSlice,
} from './delivery-query.ts'

/** A page of rows, and the id after which the next page starts; null at the end. */
export interface DeliveryRows {
  rows: DeliveryRow[]
  next: number | null
}

/** The reads of one list, and the database that they are of. */
export type DeliveryReads = ListReads<DeliveryTables> & { storage: DatabaseFeatures }

const allColumns = sql.raw('*')
const position = sql.raw('id, started_at')

/** The rows that one query of a search scans: some ten milliseconds. */
const batchSize = 5_000
/** A search that finds little stops after so long and returns the position to continue from. */
const searchMaxMs = 2_000

/**
 * Returns a page of the list. With an index its time depends on the page size only. Without one, the list is scanned
 * for a limited time, so a page may be short although there is more.
 */
export async function listDeliveries(
  { storage, db, isInTime }: DeliveryReads,
  query: DeliveryQuery,
): Promise<DeliveryRows> {
  const plan = planDeliveries(storage, query, isInTime)
  const after = await findPosition(db, query.before)
  if (after === null) return { rows: [], next: null }
  if (isDirect(plan)) return directRows(db, plan, after)
  const ids = await findFewIds(db, query)
  if (ids === undefined) return searchRows(db, plan, after)
  const { start: offset, limit } = query
  const slice = { after, isFiltered: true, offset, limit: limit + 1 }
  return toPage(await read(db, selectAmong(storage, plan, { ...slice, ids })), limit)
}

async function read(
  db: Kysely<DeliveryTables>,
  query: RawBuilder<unknown>,
): Promise<DeliveryRow[]> {
  return (await sql<DeliveryRow>`${query}`.execute(db)).rows
}

/** Cuts a page out of its rows and the one after it, if there is one. */
function toPage(found: readonly DeliveryRow[], limit: number): DeliveryRows {
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

/** Finds the deliveries to recipients with a prefix; undefined if there is no prefix, or if it is that of many. */
async function findFewIds(
  db: Kysely<DeliveryTables>,
  query: DeliveryQuery,
): Promise<RawBuilder<unknown> | undefined> {
  const prefix = recipientPrefix(query)
  if (prefix === undefined) return undefined
  const ids = selectByPrefix(prefix, batchSize + 1)
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from (${ids}) as found`.execute(db)
  return Number(rows[0]?.count) > batchSize ? undefined : ids
}

/** Finds the position after which a page starts; null if everything after it was removed. */
async function findPosition(
  db: Kysely<DeliveryTables>,
  before: number | undefined,
): Promise<DeliveryPosition | undefined | null> {
  if (before === undefined) return undefined
  const position = await db
    .selectFrom('deliveries')
    .select(['id', 'started_at'])
    .where('id', '<=', before)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (position === undefined) return null
  // If the delivery itself was removed, its predecessor was not on the page before.
  return position.id === before ? position : { ...position, id: position.id + 1 }
}

async function directRows(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  after: DeliveryPosition | undefined,
): Promise<DeliveryRows> {
  const { start: offset, limit } = plan.query
  const slice = { after, isFiltered: false, offset, limit: limit + 1 }
  return toPage(await read(db, selectSlice(plan, slice, allColumns)), limit)
}

async function searchRows(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  from: DeliveryPosition | undefined,
): Promise<DeliveryRows> {
  const deadline = performance.now() + searchMaxMs
  const { start } = plan.query
  const wanted = start + plan.query.limit
  const rows: DeliveryRow[] = []
  let after = from
  do {
    const end = await findBatchEnd(db, plan, after)
    const limit = wanted - rows.length
    const batch = { after, until: end, isFiltered: true, offset: 0, limit }
    rows.push(...(await read(db, selectSlice(plan, batch, allColumns))))
    if (rows.length === wanted) return { rows: rows.slice(start), next: rows.at(-1)?.id ?? null }
    if (end === undefined) return { rows: rows.slice(start), next: null }
    after = end
    await pause()
  } while (performance.now() < deadline)
  return { rows: rows.slice(start), next: after.id }
}

async function findBatchEnd(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  after: DeliveryPosition | undefined,
): Promise<DeliveryPosition | undefined> {
  const last = { after, isFiltered: false, offset: batchSize - 1, limit: 1 }
  return (await read(db, selectSlice(plan, last, position)))[0]
}

/** Deliveries are counted up to this number. */
const countMax = 10_000

/** Counts the deliveries of a query; undefined above `countMax`, or where no index covers it. */
export async function countDeliveries(
  { storage, db, isInTime }: DeliveryReads,
  query: DeliveryQuery,
): Promise<number | undefined> {
  const plan = planDeliveries(storage, query, isInTime)
  if (!isDirect(plan)) return undefined
  const slice = { after: undefined, isFiltered: false, offset: 0, limit: countMax + 1 }
  const first = selectSlice(plan, slice, position)
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from (${first}) as first_ones`.execute(db)
  const count = Number(rows[0]?.count ?? 0)
  return count > countMax ? undefined : count
}
