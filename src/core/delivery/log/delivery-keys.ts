import type { Kysely, Transaction } from 'kysely'
import type { DeliveryKeyRow, DeliveryRow, DeliveryTables } from '../table.ts'
import { createBulkQuery } from './delivery-row.ts'

/** A delivery, as its keys name it: the time finds its partition. */
export type DeliveryReference = Pick<DeliveryRow, 'id' | 'started_at'>

/** The earlier delivery of a message that is submitted again. */
export type OriginalDelivery = Pick<
  DeliveryRow,
  'id' | 'outcome' | 'started_at' | 'reply' | 'request_hash'
>

type Db = Kysely<DeliveryTables>
export type NewKey = Pick<DeliveryKeyRow, 'key' | 'kind' | 'delivery_id' | 'started_at'>

/** The keys that one statement looks up. */
const keysPerQuery = 500

export const keyKinds = ['message', 'content', 'request', 'bulk'] as const

/** Creates the statement that gives keys to deliveries; it resolves with the number of those that were free. */
export function createInsertKeys(db: Db) {
  const placeholder: NewKey = { key: '', kind: 'message', delivery_id: 0, started_at: 0 }
  const insert = createBulkQuery((count) =>
    db
      .insertInto('delivery_keys')
      .values(Array.from({ length: count }, () => placeholder))
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
  )
  return async (tx: Transaction<DeliveryTables>, keys: readonly NewKey[]) => {
    // In the order of the keys, so that two transactions cannot deadlock.
    const sorted = keys.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const { changed } = await insert(
      tx,
      sorted.map((row) => [row.key, row.kind, row.delivery_id, row.started_at]),
    )
    return changed
  }
}

/** Finds the latest delivery with one of the keys. A key whose delivery was removed is removed too. */
export async function findOriginal(
  db: Db,
  keys: readonly string[],
): Promise<OriginalDelivery | undefined> {
  if (keys.length === 0) return undefined
  const query = db.selectFrom('delivery_keys').select(['delivery_id', 'started_at'])
  const owners = await query.where('key', 'in', keys).orderBy('delivery_id', 'desc').execute()
  for (const { delivery_id: id, started_at: startedAt } of owners) {
    const original = await db
      .selectFrom('deliveries')
      .select(['id', 'outcome', 'started_at', 'reply', 'request_hash'])
      .where('id', '=', id)
      .where('started_at', '=', startedAt)
      .executeTakeFirst()
    if (original !== undefined) return original
    await releaseKeys(db, [{ id, started_at: startedAt }])
  }
  return undefined
}

/** Finds the keys of a delivery that were not released. */
export async function findKeys(db: Db, delivery: DeliveryReference): Promise<string[]> {
  const rows = await db
    .selectFrom('delivery_keys')
    .select('key')
    .where('kind', 'in', keyKinds)
    .where('started_at', '=', delivery.started_at)
    .where('delivery_id', '=', delivery.id)
    .execute()
  return rows.map(({ key }) => key)
}

/** Finds what became of the deliveries that have these keys, by key. */
export async function findOutcomes(
  db: Db,
  keys: readonly string[],
): Promise<Map<string, KeyWithOutcome>> {
  const found = new Map<string, KeyWithOutcome>()
  for (let from = 0; from < keys.length; from += keysPerQuery) {
    const query = db.selectFrom('delivery_keys').select(['key', 'delivery_id', 'started_at'])
    const rows = await query.where('key', 'in', keys.slice(from, from + keysPerQuery)).execute()
    for (const row of await withOutcomes(db, rows)) found.set(row.key, row)
  }
  return found
}

/** Releases the keys of some deliveries, so that their messages may be sent again. */
export async function releaseKeys(db: Db, deliveries: readonly DeliveryReference[]): Promise<void> {
  if (deliveries.length === 0) return
  const times = deliveries.map((delivery) => delivery.started_at)
  // With their kinds and times: so the index finds them.
  await db
    .deleteFrom('delivery_keys')
    .where('kind', 'in', keyKinds)
    .where('started_at', 'in', [...new Set(times)])
    .where(
      'delivery_id',
      'in',
      deliveries.map(({ id }) => id),
    )
    .execute()
}

/** Removes the keys of deliveries before a time; returns some of those that it removed. */
export async function removeOldKeys(db: Db, before: number, limit: number): Promise<unknown[]> {
  const removed: unknown[] = []
  for (const kind of keyKinds) {
    const old = db
      .selectFrom('delivery_keys')
      .select('key')
      .where('kind', '=', kind)
      .where('started_at', '<', before)
      .orderBy('started_at')
      .limit(limit)
    const removal = db.deleteFrom('delivery_keys').where('key', 'in', old)
    removed.push(...(await removal.returning('key').execute()))
  }
  return removed
}

/** A key and what became of its delivery; the outcome is undefined if the delivery was removed. */
export type KeyWithOutcome = Pick<DeliveryKeyRow, 'key' | 'delivery_id' | 'started_at'> &
  Partial<Pick<DeliveryRow, 'outcome' | 'process_id'>>

/** Looks up the deliveries of some keys: by id and time, because a join would plan to read every partition. */
export async function withOutcomes(
  db: Db,
  keys: readonly Pick<DeliveryKeyRow, 'key' | 'delivery_id' | 'started_at'>[],
): Promise<KeyWithOutcome[]> {
  if (keys.length === 0) return []
  const times = keys.map((row) => row.started_at)
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'outcome', 'process_id'])
    .where(
      'id',
      'in',
      keys.map((row) => row.delivery_id),
    )
    .where((where) => where.between('started_at', Math.min(...times), Math.max(...times)))
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return keys.map((row) => ({ ...row, ...byId.get(row.delivery_id) }))
}
