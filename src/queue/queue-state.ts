import { sql } from 'kysely'
import type { Lane } from '../delivery/index.ts'
import type { Storage } from '../storage/index.ts'
import { lanes, noCounts, type ShownState, type StateCount } from './shown-state.ts'
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
 * Counts the queue by transport, lane and state, apart from everything else. Only the index `queue_recipients_due` is read, and
 * the oldest of each group: ids ascend with time.
 */
export async function readQueueState(storage: Storage, now: number): Promise<QueueGroup[]> {
  const { db, isInTime } = storage.lists<QueueTables>('queue state', true)
  const { rows } = await sql<CountedState>`
    select transport_id, lane, case when state = 'claimed' then 'sending'
        when state = 'queued' and due_at > ${now} then 'deferred' else state end as state,
      count(*) as count, min(id) as first_id, min(due_at) as next_at
    from queue_recipients where ${isInTime} group by 1, 2, 3`.execute(db)
  const oldest = await db
    .selectFrom('queue_recipients')
    .select(['id', 'created_at'])
    .where(
      storage.isAmong(
        'id',
        rows.map(({ first_id }) => Number(first_id)),
      ),
    )
    .execute()
  const addedAt = new Map(oldest.map(({ id, created_at }) => [id, created_at]))
  return toGroups(
    rows.map(({ first_id, ...row }) => ({
      ...row,
      count: Number(row.count),
      // One that was removed in between has been there until now.
      oldest_at: addedAt.get(Number(first_id)) ?? now,
    })),
  )
}

type CountedState = Omit<StateCount, 'oldest_at'> & { first_id: number }

function toGroups(counts: readonly StateCount[]): QueueGroup[] {
  const groups = new Map<string, QueueGroup>()
  for (const { transport_id: transportId, lane, state, ...each } of counts) {
    const key = `${transportId} ${lane}`
    const group = groups.get(key) ?? emptyGroup(transportId, lane)
    groups.set(key, group)
    group.counts[state] += each.count
    group.oldestAt = Math.min(group.oldestAt, each.oldest_at)
    if (state === 'queued' || state === 'deferred')
      group.nextAt = Math.min(group.nextAt ?? each.next_at, each.next_at)
  }
  return [...groups.values()].sort(
    (one, other) =>
      one.transportId - other.transportId || lanes.indexOf(one.lane) - lanes.indexOf(other.lane),
  )
}

function emptyGroup(transportId: number, lane: Lane): QueueGroup {
  const group = { transportId, lane, counts: noCounts(), oldestAt: Number.MAX_SAFE_INTEGER }
  return { ...group, nextAt: undefined }
}
