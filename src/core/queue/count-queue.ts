import type { Transaction } from 'kysely'
import { type Consequence, ownedBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Lane } from '../delivery/index.ts'
import { lanes, noCounts, type ShownState } from './shown-state.ts'
import type { QueueTables } from './table.ts'

/** The recipients of one transport and one lane, by state. */
export interface QueueGroup {
  /** The value of the column; see `noTransport` and `defaultTransport`. */
  transportId: number
  lane: Lane
  counts: Record<ShownState, number>
  /** When the oldest was added. */
  oldestAt: number
  /** When the next is due; undefined if none is queued. */
  nextAt: number | undefined
}

/**
 * Counts the queue by transport, lane and state, apart from everything else: that of all brands reads only the index
 * `queue_recipients_due`, in its order, and the oldest of each group: ids ascend with time. With brands, only theirs is counted.
 */
export async function countQueue(
  storage: Storage,
  now: number,
  brands?: readonly number[],
): Promise<QueueGroup[]> {
  const { db, isInTime } = storage.lists<QueueTables>('queue state', true)
  const rows = await db
    .selectFrom('queue_recipients')
    .select(['transport_id', 'lane', 'state'])
    .select(({ fn }) => [
      fn.countAll().as('count'),
      // Those that are due later.
      fn.countAll().filterWhere('due_at', '>', now).as('later'),
      fn.min('id').as('first_id'),
      fn.min('due_at').as('next_at'),
    ])
    .where(isInTime)
    .where(ownedBy({ brands: brands ?? 'all' }))
    .groupBy(['state', 'transport_id', 'lane'])
    .execute()
  const oldest = db.selectFrom('queue_recipients').select(['id', 'created_at'])
  const ids = rows.map(({ first_id }) => Number(first_id))
  const found = await oldest.where(storage.isAmong('id', ids)).execute()
  const addedAt = new Map(found.map(({ id, created_at }) => [id, created_at]))
  const groups = new Map<string, QueueGroup>()
  for (const { transport_id: transportId, lane, state, ...row } of rows) {
    const key = `${transportId} ${lane}`
    const empty = { counts: noCounts(), oldestAt: Number.MAX_SAFE_INTEGER, nextAt: undefined }
    const group = groups.get(key) ?? { transportId, lane, ...empty }
    groups.set(key, group)
    const [count, later] = [Number(row.count), Number(row.later)]
    // One that was removed in between has been there until now.
    group.oldestAt = Math.min(group.oldestAt, addedAt.get(Number(row.first_id)) ?? now)
    if (state === 'claimed') group.counts.sending += count
    else if (state === 'queued') {
      group.counts.queued += count - later
      group.counts.deferred += later
      group.nextAt = Number(row.next_at)
    } else group.counts[state] += count
  }
  return [...groups.values()].sort(
    (one, other) =>
      one.transportId - other.transportId || lanes.indexOf(one.lane) - lanes.indexOf(other.lane),
  )
}

/** Sums up the sizes of the messages of some brands. */
export async function countBytes(storage: Storage, brands: readonly number[]): Promise<number> {
  const { db, isInTime } = storage.lists<QueueTables>('queue state', true)
  const ids = db.selectFrom('queue_recipients').select('message_id').where(ownedBy({ brands }))
  const messages = db.selectFrom('queue_messages').where('id', 'in', ids).where(isInTime)
  const { bytes } = await messages
    .select(({ fn }) => fn.sum<number | string | null>('size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** How many of the oldest recipients are looked at to find one that waits to be sent. */
const oldestMax = 10_000

/** Returns when the oldest recipient that waits to be sent was added; undefined if there is none. */
export async function findOldestQueued(storage: Storage): Promise<number | undefined> {
  const db = storage.tables<QueueTables>()
  const oldest = db.selectFrom('queue_recipients').select(['id', 'created_at', 'state'])
  const waiting = db
    .selectFrom(oldest.orderBy('id').limit(oldestMax).as('oldest'))
    .select('created_at')
    .where('state', 'in', ['queued', 'claimed'])
  return (await waiting.orderBy('id').limit(1).executeTakeFirst())?.created_at
}

/** A count of more would read a large part of the queue. */
const countMax = 10_000

/** Describes the queued messages for a transport that is being deleted. Undefined where there are none. */
export async function describeQueued(
  transportId: number,
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  const db = tx.withTables<QueueTables>()
  const first = db
    .selectFrom('queue_recipients')
    .select('id')
    .where('state', 'in', ['queued', 'held'])
    .where('transport_id', '=', transportId)
    .limit(countMax)
  const counted = db.selectFrom(first.as('first')).select(({ fn }) => fn.countAll().as('count'))
  const count = Number((await counted.executeTakeFirstOrThrow()).count)
  if (count === 0) return undefined
  const number = `${count.toLocaleString('en-US')}${count < countMax ? '' : ' or more'}`
  const sentence =
    count === 1
      ? '1 queued message is routed again.'
      : `${number} queued messages are routed again.`
  return { planned: sentence, done: sentence }
}
