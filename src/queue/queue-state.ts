import { sql } from 'kysely'
import type { Lane } from '../delivery/index.ts'
import type { Storage } from '../storage/index.ts'
import { countInSteps } from './count-in-steps.ts'
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

/** Counts the queue by transport, lane and state. */
export async function readQueueState(storage: Storage, now: number): Promise<QueueGroup[]> {
  const count = storage.runsInProcess ? countInSteps : countAtOnce
  return toGroups(await count(storage, now))
}

/** For a database that counts in a process of its own. */
async function countAtOnce(storage: Storage, now: number): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select transport_id, lane, case when state = 'claimed' then 'sending'
        when state = 'queued' and due_at > ${now} then 'deferred' else state end as state,
      count(*) as count, min(created_at) as oldest_at, min(due_at) as next_at
    from queue_recipients group by 1, 2, 3`.execute(storage.tables<QueueTables>())
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

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
