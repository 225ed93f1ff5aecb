import { sql, type Transaction } from 'kysely'
import type { SendingRow, SendingTables } from './table.ts'

/** By how much the counters of one sending change. */
export interface CountChange {
  accepted: number
  refused: number
  uncertain: number
  /** When the first of those who went back to the queue is due; undefined where none did. */
  dueAt: number | undefined
}

/** Changes of counters by the id of the sending. */
export type CountChanges = ReadonlyMap<number, CountChange>

const stretchMs = 10_000

/**
 * Adds up what became of recipients, and ends the sendings of which nothing is left to send. One that was
 * done goes on where somebody in doubt went back to its queue.
 */
export async function changeCounts(
  tx: Transaction<SendingTables>,
  changes: CountChanges,
  now: number,
): Promise<void> {
  // In one order, so that two transactions never wait for each other.
  const ids = [...changes.keys()].sort((one, other) => one - other)
  for (const id of ids) {
    const change = changes.get(id)
    if (change !== undefined) await changeOne(tx, { ...change, id }, now)
  }
}

async function changeOne(
  tx: Transaction<SendingTables>,
  { id, accepted, refused, uncertain, dueAt }: CountChange & { id: number },
  now: number,
): Promise<void> {
  const stretch = Math.floor(now / stretchMs)
  const change = accepted + refused + uncertain
  const settled = Math.max(0, change)
  const goesOn = sql`status = 'done' and accepted + refused + uncertain + ${change} < total`
  const { rows } = await sql<SendingRow>`update sendings set
      accepted = accepted + ${accepted}, refused = refused + ${refused},
      uncertain = uncertain + ${uncertain},
      status = case when ${goesOn} then 'running' else status end,
      finished_at = case when ${goesOn} then null else finished_at end,
      due_at = case when due_at > ${dueAt ?? Number.MAX_SAFE_INTEGER}
        then ${dueAt ?? 0} else due_at end,
      rate_before = case rate_stretch when ${stretch} then rate_before
        when ${stretch - 1} then rate_count else 0 end,
      rate_count = case rate_stretch when ${stretch} then rate_count else 0 end + ${settled},
      rate_stretch = ${stretch}
    where id = ${id}
    returning total, accepted, refused, uncertain, is_prepared, status`.execute(tx)
  const [row] = rows
  if (row !== undefined && isSettled(row)) await endSending(tx, id, now)
}

/** Whether nothing of a sending that runs is left to send. */
export function isSettled(
  row: Pick<SendingRow, 'status' | 'is_prepared' | 'total' | 'accepted' | 'refused' | 'uncertain'>,
): boolean {
  return row.status === 'running' && Boolean(row.is_prepared) && remainingOf(row) === 0
}

/** How many have neither got it nor been refused it, nor are in doubt. */
export function remainingOf(
  row: Pick<SendingRow, 'total' | 'accepted' | 'refused' | 'uncertain'>,
): number {
  return row.total - row.accepted - row.refused - row.uncertain
}

/** What became of the recipients of a sending, for the log. */
export function countsOf({
  accepted,
  refused,
  uncertain,
}: Pick<SendingRow, 'accepted' | 'refused' | 'uncertain'>) {
  return { accepted, refused, uncertain }
}

/** Ends a sending that runs and of which nothing is left to send. */
export async function endSending(
  tx: Transaction<SendingTables>,
  id: number,
  now: number,
): Promise<void> {
  await tx
    .updateTable('sendings')
    .set({ status: 'done', finished_at: now, problem: null })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute()
}

/**
 * How many a second were settled lately: those of the running stretch, and of the one before it as
 * much as reaches into the last ten seconds.
 */
export function rateOf(
  row: Pick<SendingRow, 'created_at' | 'rate_stretch' | 'rate_count' | 'rate_before'>,
  now: number,
): number {
  const stretch = Math.floor(now / stretchMs)
  const passed = (now % stretchMs) / stretchMs
  const [count, before] =
    row.rate_stretch === stretch
      ? [row.rate_count, row.rate_before]
      : [0, row.rate_stretch === stretch - 1 ? row.rate_count : 0]
  const spanMs = Math.min(stretchMs, Math.max(now - row.created_at, 1_000))
  return Math.round(((count + before * (1 - passed)) / spanMs) * 10_000) / 10
}
