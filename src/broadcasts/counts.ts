import { type Expression, type QueryExecutorProvider, type SqlBool, sql } from 'kysely'
import {
  type BrakeRow,
  type BroadcastCounter,
  brakeColumns,
  type brakedByEvents,
  brakedByRefusals,
  brakeEvent,
  brakeOf,
  broadcastCounters,
  isRefusedTooOften,
} from '../delivery/index.ts'
import type { RecipientChange } from '../queue/index.ts'
import type { EventSink } from '../webhooks/index.ts'
import { pauseRecipients, removeWaiting, setPaused } from './queued-recipients.ts'
import type { BroadcastRow } from './table.ts'

const columns = broadcastCounters.map((each) => sql.ref<number>(each))
const counted = sql.join(columns, sql` + `)

/** The counters of a broadcast that has just begun. */
export const noCounts = Object.fromEntries(broadcastCounters.map((each) => [each, 0])) as Record<
  BroadcastCounter,
  number
>

/** The changes of the counters of one broadcast. */
interface CountChange extends Record<BroadcastCounter, number> {
  id: number
  /** Attempts that have ended, and those of them that were refused for good: what the brake counts. */
  attempted: number
  attemptedRefused: number
  /** The recipients that wait again, and those of them that were uncertain. */
  waiting: number
  resent: number
}

/** When broadcasts change, and where their brakes are published. */
export interface ChangeContext {
  now: number
  /** Default: nowhere. */
  events?: EventSink | undefined
}

const intervalMs = 10_000

/**
 * Changes the counters of broadcasts, in the transaction that changes their recipients, and ends those with nothing left to
 * send. A broadcast that was done runs again if an uncertain recipient waits again.
 */
export async function countChanges(
  tx: QueryExecutorProvider,
  changes: readonly RecipientChange[],
  context: ChangeContext,
): Promise<void> {
  const byBroadcast = Map.groupBy(changes, ({ broadcastId }) => broadcastId)
  // In the order of ids, so that two transactions cannot deadlock.
  for (const [id, ofOne] of [...byBroadcast].sort(([one], [other]) => one - other)) {
    const change = sumOf(id, ofOne)
    if (ofOne.some(({ from, to }) => from !== to)) await changeOne(tx, change, context)
    if (change.waiting > 0) await refuseCancelled(tx, change)
  }
}

function sumOf(id: number, changes: readonly RecipientChange[]): CountChange {
  const sum: CountChange = {
    id,
    ...noCounts,
    attempted: 0,
    attemptedRefused: 0,
    waiting: 0,
    resent: 0,
  }
  for (const { from, to, isAttempted } of changes) {
    if (from === 'uncertain') sum.uncertain -= 1
    if (to !== 'waiting') sum[to] += 1
    else {
      sum.waiting += 1
      if (from === 'uncertain') sum.resent += 1
    }
    if (isAttempted) sum.attempted += 1
    if (isAttempted && to === 'refused') sum.attemptedRefused += 1
  }
  return sum
}

async function changeOne(
  tx: QueryExecutorProvider,
  change: CountChange,
  { now, events }: ChangeContext,
): Promise<void> {
  const { id, attempted, attemptedRefused } = change
  const interval = Math.floor(now / intervalMs)
  const ended = endedOf(change)
  const brake = brakeColumns('broadcasts', { attempts: attempted, refused: attemptedRefused })
  const runsAgain = sql`state = 'done' and ${counted} + ${ended} < total`
  const { rows } = await sql<CountedRow>`update broadcasts set
      brake_attempts = case when ${runsAgain} then 0 else ${brake.attempts} end,
      brake_refused = case when ${runsAgain} then 0 else ${brake.refused} end,
      continued_at = case when ${runsAgain} and braked_at is not null then ${now} else continued_at end,
      braked_at = case when ${runsAgain} then null else braked_at end,
      ${sql.join(broadcastCounters.map((each) => sql`${sql.ref(each)} = ${sql.ref(each)} + ${change[each]}`))},
      state = case when ${runsAgain} then 'running' else state end,
      finished_at = case when ${runsAgain} then null else finished_at end,
      rate_before = case rate_stretch when ${interval} then rate_before
        when ${interval - 1} then rate_count else 0 end,
      rate_count = case rate_stretch when ${interval} then rate_count else 0 end
        + ${Math.max(0, ended)},
      rate_stretch = ${interval}
    where id = ${id}
    returning total, ${sql.join(columns)}, is_prepared, state`.execute(tx)
  const [row] = rows
  if (row === undefined) return
  if (attemptedRefused > 0)
    await brakeBroadcast(tx, id, {
      columns: brakedByRefusals(now),
      isDue: isRefusedTooOften('broadcasts'),
      events,
    })
  if (isSettled(row)) await endBroadcast(tx, id, now)
}

type CountedRow = Pick<BroadcastRow, 'total' | 'is_prepared' | 'state' | BroadcastCounter>

/** Why a broadcast may be paused by its brake. */
interface DueBrake {
  columns: ReturnType<typeof brakedByRefusals> | ReturnType<typeof brakedByEvents>
  /** Whether it is to be paused, besides that it runs. */
  isDue: Expression<SqlBool>
  events: EventSink | undefined
}

/**
 * Pauses a broadcast that runs and has something left to send, and publishes it: its last outcome ends it. Returns whether this
 * has paused it.
 */
export async function brakeBroadcast(
  tx: QueryExecutorProvider,
  id: number,
  { columns: brake, isDue, events }: DueBrake,
): Promise<boolean> {
  const { rows } =
    await sql<BrakeRow>`update broadcasts set state = 'paused', braked_at = ${brake.braked_at},
      brake_kind = ${brake.brake_kind}, brake_events = ${brake.brake_events}, brake_accepted = ${brake.brake_accepted}
    where id = ${id} and state = 'running' and ${isDue} and (not is_prepared or ${counted} < total)
    returning brake_attempts, brake_refused, braked_at, brake_kind, brake_events, brake_accepted,
      continued_at`.execute(tx)
  const [row] = rows
  if (row === undefined) return false
  await pauseRecipients(tx, id)
  const reason = brakeOf(row)
  if (reason !== undefined && events?.wants('brake.applied') === true) {
    const paused = `Broadcast ${id} is paused`
    const event = brakeEvent(reason, {
      cause: `broadcast ${id}`,
      paused,
      data: { broadcastId: id },
    })
    await events.publish(tx, [event])
  }
  return true
}

/** Those of a cancelled broadcast are not sent again. */
async function refuseCancelled(
  tx: QueryExecutorProvider,
  { id, resent }: Pick<CountChange, 'id' | 'resent'>,
): Promise<void> {
  const { rows } = await sql`update broadcasts set refused = refused + ${resent}
    where id = ${id} and state = 'cancelled' returning id`.execute(tx)
  if (rows.length > 0) await removeWaiting(tx, id)
}

/** Whether a broadcast that runs or is paused has nothing left to send. */
export function isSettled(
  row: Pick<BroadcastRow, 'state' | 'is_prepared' | 'total' | BroadcastCounter>,
): boolean {
  const isUnfinished = row.state === 'running' || row.state === 'paused'
  return isUnfinished && Boolean(row.is_prepared) && remainingOf(row) <= 0
}

/** Counts the recipients without an outcome. */
export function remainingOf(row: Pick<BroadcastRow, 'total' | BroadcastCounter>): number {
  return Math.max(0, row.total - endedOf(row))
}

/** Counts the recipients with an outcome. */
export function endedOf(counts: Readonly<Record<BroadcastCounter, number>>): number {
  return broadcastCounters.reduce((sum, each) => sum + counts[each], 0)
}

/** Picks the counters of a broadcast. */
export function countsOf(
  row: Readonly<Record<BroadcastCounter, number>>,
): Record<BroadcastCounter, number> {
  return Object.fromEntries(broadcastCounters.map((each) => [each, row[each]])) as Record<
    BroadcastCounter,
    number
  >
}

/** Ends a broadcast with nothing left to send. A brake that has paused it before its last outcomes stays in its row. */
export async function endBroadcast(
  tx: QueryExecutorProvider,
  id: number,
  now: number,
): Promise<void> {
  await sql`update broadcasts set state = 'done', finished_at = ${now}, problem = null
    where id = ${id} and state in ('running', 'paused')`.execute(tx)
  // Its refused recipients may be sent to again.
  await setPaused(tx, id, false)
}

/**
 * Returns the recipients with an outcome per second over the last ten seconds: those of the current interval, and the share of
 * the one before that reaches into these ten seconds.
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
