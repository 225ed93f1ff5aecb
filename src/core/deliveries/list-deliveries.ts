import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import {
  type ContinuedPage,
  cutPage,
  type DatabaseFeatures,
  type ListReads,
  scanPage,
} from '../../platform/storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../delivery/index.ts'
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

/** The reads of one list, and the database that they are of. */
export type DeliveryReads = ListReads<DeliveryTables> & { storage: DatabaseFeatures }

type DeliveryRows = ContinuedPage<DeliveryRow, DeliveryPosition>

const allColumns = sql.raw('*')
const position = sql.raw('id, started_at')

/** The rows that one query of a search scans: some ten milliseconds. */
const batchSize = 5_000

/**
 * Returns a page of the list. With an index its time depends on the page size only. Without one, the list is scanned
 * for a limited time, so a page may be short although there is more.
 */
export async function listDeliveries(
  { storage, db, isInTime }: DeliveryReads,
  query: DeliveryQuery,
): Promise<DeliveryRows> {
  const plan = planDeliveries(storage, query, isInTime)
  const after = await findPosition(db, query.after)
  if (after === null) return { rows: [], last: undefined }
  const { start: offset, limit } = query
  const slice = { after, offset, limit: limit + 1 }
  if (isDirect(plan)) {
    const direct = selectSlice(plan, { ...slice, isFiltered: false }, allColumns)
    return cutPage(await read(db, direct), limit)
  }
  const ids = await findFewIds(db, query)
  if (ids !== undefined) {
    const few = selectAmong(storage, plan, { ...slice, isFiltered: true, ids })
    return cutPage(await read(db, few), limit)
  }
  const { rows, last } = await searchRows(db, plan, { after, limit: offset + limit })
  return { rows: rows.slice(offset), last }
}

async function read(
  db: Kysely<DeliveryTables>,
  query: RawBuilder<unknown>,
): Promise<DeliveryRow[]> {
  return (await sql<DeliveryRow>`${query}`.execute(db)).rows
}

/** Finds the deliveries to recipients with a prefix; undefined if there is no prefix, or if it is that of many. */
async function findFewIds(
  db: Kysely<DeliveryTables>,
  query: DeliveryQuery,
): Promise<Expression<unknown> | undefined> {
  const prefix = recipientPrefix(query)
  if (prefix === undefined) return undefined
  const ids = selectByPrefix(prefix, batchSize + 1)
  const found = db.selectFrom(ids.as('found')).select(({ fn }) => fn.countAll().as('count'))
  const { count } = await found.executeTakeFirstOrThrow()
  return Number(count) > batchSize ? undefined : ids
}

/** Finds the position after which a page starts; null if everything after it was removed. */
async function findPosition(
  db: Kysely<DeliveryTables>,
  id: number | undefined,
): Promise<DeliveryPosition | undefined | null> {
  if (id === undefined) return undefined
  const position = await db
    .selectFrom('deliveries')
    .select(['id', 'started_at'])
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (position === undefined) return null
  // If the delivery itself was removed, its predecessor was not on the page before.
  return position.id === id ? position : { ...position, id: position.id + 1 }
}

function searchRows(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  { after, limit }: { after: DeliveryPosition | undefined; limit: number },
): Promise<DeliveryRows> {
  return scanPage<DeliveryPosition, DeliveryRow>(
    {
      findEnd: (from) => findBatchEnd(db, plan, from),
      read(from, until, limit) {
        const batch = { after: from, until, isFiltered: true, offset: 0, limit }
        return read(db, selectSlice(plan, batch, allColumns))
      },
    },
    { after, limit },
  )
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
