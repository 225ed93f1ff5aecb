import type { Lane } from '../delivery/index.ts'
import type { Storage } from '../storage/index.ts'
import { readQueueState } from './queue-state.ts'
import { type ShownState, shownStates } from './shown-state.ts'
import type { QueueTables } from './table.ts'

/** How many recipients have one transport, lane and state. */
export interface QueueCount {
  /** See `noTransport` and `defaultTransport`. */
  transportId: number
  lane: Lane
  state: ShownState
  count: number
}

/** How many of the oldest recipients are looked at to find one that waits to be sent. */
const oldestMax = 10_000

/** Counts the recipients in the queue by transport, lane and state, for the metrics. */
export async function countQueue(storage: Storage, now: number): Promise<QueueCount[]> {
  const groups = await readQueueState(storage, now)
  return groups.flatMap(({ transportId, lane, counts }) =>
    shownStates
      .filter((state) => counts[state] > 0)
      .map((state) => ({ transportId, lane, state, count: counts[state] })),
  )
}

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
