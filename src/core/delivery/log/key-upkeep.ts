import { type Kysely, sql } from 'kysely'
import type { DeliveryKeyRow, DeliveryTables } from '../table.ts'
import { releaseKeys, withOutcomes } from './delivery-keys.ts'

/** A client that has lost a reply retries within minutes. */
const lostReplyMs = 300_000
/** How long a message is recognized when it is submitted again. */
const recognizeMs = 86_400_000

export interface ReleaseKeysOptions {
  now: number
  /** How long a message with an uncertain outcome is not sent again. */
  holdMs: number
  /** Runs each step; it may pause after it, or stop. */
  inBatches: (step: () => Promise<boolean>) => Promise<void>
  /** The rows of one step. */
  limit: number
}

type Db = Kysely<DeliveryTables>
type Position = Pick<DeliveryKeyRow, 'started_at' | 'delivery_id'>

/**
 * Releases the keys of messages that may be submitted again as new ones. Those of accepted messages: five minutes after
 * their acknowledgement if they have no Message-ID, else after a day. Those of uncertain messages over SMTP: after the hold.
 * Bulk keys and Idempotency-Keys stay until the delivery is removed.
 */
export async function releaseDueKeys(db: Db, options: ReleaseKeysOptions): Promise<void> {
  const { now, holdMs, inBatches, limit } = options
  await inBatches(async () => {
    const query = db.selectFrom('delivery_keys').select(['key', 'delivery_id', 'started_at'])
    const due = query.where('acknowledged_at', '<=', now - lostReplyMs)
    const keys = await due.orderBy('acknowledged_at').limit(limit).execute()
    await removeKeys(db, keys)
    return keys.length === limit
  })
  for (const kind of ['message', 'content'] as const) {
    let after: Position = { started_at: 0, delivery_id: 0 }
    await inBatches(async () => {
      const keys = await findKeys(db, { kind, after, before: now - recognizeMs, limit })
      const found = await withOutcomes(db, keys)
      // Uncertain ones have a time of their own.
      await removeKeys(
        db,
        found.filter(({ outcome }) => outcome === undefined || outcome === 'accepted'),
      )
      after = keys.at(-1) ?? after
      return keys.length === limit
    })
  }
  await releaseUncertain(db, { before: now - holdMs, inBatches, limit })
}

async function findKeys(
  db: Db,
  options: { kind: DeliveryKeyRow['kind']; after: Position; before: number; limit: number },
) {
  const { kind, after, before, limit } = options
  return db
    .selectFrom('delivery_keys')
    .select(['key', 'delivery_id', 'started_at'])
    .where('kind', '=', kind)
    .where('started_at', '<', before)
    .where((where) =>
      where(
        where.refTuple('started_at', 'delivery_id'),
        '>',
        where.tuple(after.started_at, after.delivery_id),
      ),
    )
    .orderBy('started_at')
    .orderBy('delivery_id')
    .limit(limit)
    .execute()
}

async function removeKeys(db: Db, keys: readonly Pick<DeliveryKeyRow, 'key'>[]): Promise<void> {
  if (keys.length === 0) return
  const names = keys.map(({ key }) => key)
  await db.deleteFrom('delivery_keys').where('key', 'in', names).execute()
}

/** When a person settles a delivery, its message in the queue is found by its key. */
const isNotQueued = sql<boolean>`not exists (
  select 1 from delivery_keys
  where delivery_keys.delivery_id = deliveries.id and delivery_keys.started_at = deliveries.started_at
    and delivery_keys.key in (
      select message_key from queue_recipients where state = 'uncertain'
      union all
      select bulk_key from queue_recipients where state = 'uncertain' and bulk_key is not null))`

/** Releases the keys of SMTP messages that stayed uncertain, unless the queue keeps them; there are few of them. */
async function releaseUncertain(
  db: Db,
  { before, inBatches, limit }: Omit<ReleaseKeysOptions, 'now' | 'holdMs'> & { before: number },
): Promise<void> {
  let after = { started_at: 0, id: 0 }
  await inBatches(async () => {
    const held = await db
      .selectFrom('deliveries')
      .select(['id', 'started_at'])
      // A literal: the partial index is not found with a parameter.
      .where('outcome', '=', sql.lit('uncertain'))
      .where('source', '=', 'smtp')
      .where('started_at', '<', before)
      .where(isNotQueued)
      .where((where) =>
        where(where.refTuple('started_at', 'id'), '>', where.tuple(after.started_at, after.id)),
      )
      .orderBy('started_at')
      .orderBy('id')
      .limit(limit)
      .execute()
    await releaseKeys(db, held)
    after = held.at(-1) ?? after
    return held.length === limit
  })
}
