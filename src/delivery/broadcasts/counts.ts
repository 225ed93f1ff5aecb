import { sql, type Transaction } from 'kysely'
import { brakeColumns } from '../brake.ts'
import { type BroadcastCounter, broadcastCounters } from '../outcomes.ts'
import type { BroadcastRow, BroadcastTables } from './table.ts'

/** The change of the counters of one broadcast. */
export interface CountChange extends Record<BroadcastCounter, number> {
  /** Attempts that have ended, and those of them that were refused for good: what the brake counts. */
  attempted: number
  attemptedRefused: number
  /** The earliest due time of recipients that went back to the queue; undefined if none did. */
  dueAt: number | undefined
}

const columns = broadcastCounters.map((each) => sql.ref<number>(each))
const counted = sql.join(columns, sql` + `)

/** The counters of a broadcast that has just begun. */
export const noCounts = Object.fromEntries(broadcastCounters.map((each) => [each, 0])) as Record<
  BroadcastCounter,
  number
>

/** No change of any counter. */
export const noChange: Omit<CountChange, 'dueAt'> = {
  ...noCounts,
  attempted: 0,
  attemptedRefused: 0,
}

/** Changes of counters by the id of the broadcast. */
export type CountChanges = ReadonlyMap<number, CountChange>

const intervalMs = 10_000

/**
 * Changes the counters of broadcasts and ends those with nothing left to send. A broadcast that was done runs again if an
 * uncertain recipient went back to its queue.
 */
export async function changeCounts(
  tx: Transaction<BroadcastTables>,
  changes: CountChanges,
  now: number,
): Promise<void> {
  // In the order of ids, so that two transactions cannot deadlock.
  const ids = [...changes.keys()].sort((one, other) => one - other)
  for (const id of ids) {
    const change = changes.get(id)
    if (change !== undefined) await changeOne(tx, { ...change, id }, now)
  }
}

async function changeOne(
  tx: Transaction<BroadcastTables>,
  count: CountChange & { id: number },
  now: number,
): Promise<void> {
  const { id, dueAt } = count
  const interval = Math.floor(now / intervalMs)
  const change = settledOf(count)
  const settled = Math.max(0, change)
  const runsAgain = sql`state = 'done' and ${counted} + ${change} < total`
  const brake = brakeColumns('broadcasts', {
    attempts: count.attempted,
    refused: count.attemptedRefused,
  })
  // The last outcome of a broadcast ends it: there is nothing to pause.
  const isPaused = sql`state = 'running' and ${sql.lit(count.attemptedRefused)} > 0 and ${brake.isBraking}
    and (not is_prepared or ${counted} + ${change} < total)`
  const { rows } = await sql<BroadcastRow>`update broadcasts set
      brake_attempts = ${brake.attempts}, brake_refused = ${brake.refused},
      braked_at = case when ${isPaused} then ${now} else braked_at end,
      ${sql.join(broadcastCounters.map((each) => sql`${sql.ref(each)} = ${sql.ref(each)} + ${count[each]}`))},
      state = case when ${runsAgain} then 'running' when ${isPaused} then 'paused' else state end,
      finished_at = case when ${runsAgain} then null else finished_at end,
      due_at = case when due_at > ${dueAt ?? Number.MAX_SAFE_INTEGER}
        then ${dueAt ?? 0} else due_at end,
      rate_before = case rate_stretch when ${interval} then rate_before
        when ${interval - 1} then rate_count else 0 end,
      rate_count = case rate_stretch when ${interval} then rate_count else 0 end + ${settled},
      rate_stretch = ${interval}
    where id = ${id}
    returning total, ${sql.join(columns)}, is_prepared, state`.execute(tx)
  const [row] = rows
  if (row !== undefined && isSettled(row)) await endBroadcast(tx, id, now)
}

/** Counts the recipients with an outcome. */
function settledOf(counts: Readonly<Record<BroadcastCounter, number>>): number {
  return broadcastCounters.reduce((sum, each) => sum + counts[each], 0)
}

/** Whether a running broadcast has nothing left to send. */
export function isSettled(
  row: Pick<BroadcastRow, 'state' | 'is_prepared' | 'total' | BroadcastCounter>,
): boolean {
  return row.state === 'running' && Boolean(row.is_prepared) && remainingOf(row) === 0
}

/** Counts the recipients without an outcome. */
export function remainingOf(row: Pick<BroadcastRow, 'total' | BroadcastCounter>): number {
  return row.total - settledOf(row)
}

/** Picks the counters of a broadcast for the log. */
export function countsOf(
  row: Readonly<Record<BroadcastCounter, number>>,
): Record<BroadcastCounter, number> {
  return Object.fromEntries(broadcastCounters.map((each) => [each, row[each]])) as Record<
    BroadcastCounter,
    number
  >
}

/** Ends a running broadcast with nothing left to send. */
export async function endBroadcast(
  tx: Transaction<BroadcastTables>,
  id: number,
  now: number,
): Promise<void> {
  await tx
    .updateTable('broadcasts')
    .set({ state: 'done', finished_at: now, problem: null })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/**
 * Returns the recipients settled per second over the last ten seconds: those of the current interval, and the share of the
 * one before that reaches into these ten seconds.
 */
export function rateOf(
  row: Pick<BroadcastRow, 'created_at' | 'rate_stretch' | 'rate_count' | 'rate_before'>,
  now: number,
): number {
  const interval = Math.floor(now / intervalMs)
  const passed = (now % intervalMs) / intervalMs
  const [count, before] =
    row.rate_stretch === interval
      ? [row.rate_count, row.rate_before]
      : [0, row.rate_stretch === interval - 1 ? row.rate_count : 0]
  const spanMs = Math.min(intervalMs, Math.max(now - row.created_at, 1_000))
  return Math.round(((count + before * (1 - passed)) / spanMs) * 10_000) / 10
}
