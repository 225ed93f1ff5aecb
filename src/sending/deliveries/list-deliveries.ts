import { type Kysely, sql } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import {
  type DeliveryPlace,
  type DeliveryPlan,
  type DeliveryQuery,
  isDirect,
  otherConditions,
  planDeliveries,
  wayAlong,
} from './delivery-query.ts'

/** Some rows of the list, and after which of them it goes on; null where it ends. */
export interface DeliveryRows {
  rows: DeliveryRow[]
  next: number | null
}

/** Rows that are looked through at once, where no index leads to them: some ten milliseconds. */
const stretchSize = 5_000
/** A search that finds little ends after so long, with the place to go on from. */
const searchMaxMs = 2_000

/**
 * A page of the list. However many deliveries there are, it takes as long as the page is long, where
 * an index leads to its rows; where none does, the list is looked through for a moment, and the page
 * may be short though there is more.
 */
export async function listDeliveries(
  storage: Storage,
  query: DeliveryQuery,
): Promise<DeliveryRows> {
  const db = storage.tables<DeliveryTables>()
  const plan = planDeliveries(storage.kind, query)
  const after = await findPlace(db, query.before)
  if (after === null) return { rows: [], next: null }
  return isDirect(plan) ? directRows(db, plan, after) : searchRows(db, plan, after)
}

/** Where a page goes on; null where all of that was removed meanwhile. */
async function findPlace(
  db: Kysely<DeliveryTables>,
  before: number | undefined,
): Promise<DeliveryPlace | undefined | null> {
  if (before === undefined) return undefined
  const place = await db
    .selectFrom('deliveries')
    .select(['id', 'started_at'])
    .where('id', '<=', before)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (place === undefined) return null
  // The one itself was on the page before; another that stands for it was not.
  return place.id === before ? place : { ...place, id: place.id + 1 }
}

async function directRows(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  after: DeliveryPlace | undefined,
): Promise<DeliveryRows> {
  const { start, limit } = plan.query
  const found = await wayAlong(db, plan, after)
    .selectAll()
    .offset(start)
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

async function searchRows(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  from: DeliveryPlace | undefined,
): Promise<DeliveryRows> {
  const deadline = performance.now() + searchMaxMs
  const { start, limit } = plan.query
  const wanted = start + limit
  const rows: DeliveryRow[] = []
  let after = from
  do {
    const end = await findStretchEnd(db, plan, after)
    let stretch = wayAlong(db, plan, after).selectAll()
    for (const condition of otherConditions(plan)) stretch = stretch.where(condition)
    if (end !== undefined) {
      const { id, started_at: startedAt } = end
      stretch = stretch
        .where('started_at', '>=', startedAt)
        .where((where) => where.or([where('started_at', '>', startedAt), where('id', '>=', id)]))
    }
    rows.push(...(await stretch.limit(wanted - rows.length).execute()))
    if (rows.length === wanted) return { rows: rows.slice(start), next: rows.at(-1)?.id ?? null }
    if (end === undefined) return { rows: rows.slice(start), next: null }
    after = end
    await pause()
  } while (performance.now() < deadline)
  return { rows: rows.slice(start), next: after.id }
}

async function findStretchEnd(
  db: Kysely<DeliveryTables>,
  plan: DeliveryPlan,
  after: DeliveryPlace | undefined,
): Promise<DeliveryPlace | undefined> {
  const way = wayAlong(db, plan, after).select(['id', 'started_at'])
  return way
    .offset(stretchSize - 1)
    .limit(1)
    .executeTakeFirst()
}

/** How many deliveries a list has, counted no further than this: beyond it nobody reads a number. */
export const countMax = 10_000

/** How many there are; undefined where there are more than `countMax`, or no index tells. */
export async function countDeliveries(
  storage: Storage,
  query: DeliveryQuery,
): Promise<number | undefined> {
  const db = storage.tables<DeliveryTables>()
  const plan = planDeliveries(storage.kind, query)
  if (!isDirect(plan)) return undefined
  const first = wayAlong(db, plan, undefined)
    .select('id')
    .limit(countMax + 1)
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from (${first}) as first_ones`.execute(db)
  const count = Number(rows[0]?.count ?? 0)
  return count > countMax ? undefined : count
}
