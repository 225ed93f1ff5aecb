import { type RawBuilder, sql, type Transaction } from 'kysely'
import { fold } from '../../kit/fold.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import type { ClaimContext } from './claims.ts'
import { type CountChange, changeCounts } from './counts.ts'
import { insertRows, type JsonColumns, jsonRows, unindexed } from './rows.ts'
import type { RecipientStatus, SendingTables } from './table.ts'

type Tables = SendingTables & DeliveryTables

/** What one attempt for one recipient came to. */
export interface JobOutcome {
  sendingId: number
  emailId: number
  contactId: number
  /** `queued` to try again at `dueAt`. */
  status: Exclude<RecipientStatus, 'claimed' | 'sending'>
  dueAt: number
  delivery: Omit<DeliveryRow, 'id'>
}

const given: JsonColumns = {
  email_id: 'bigint',
  contact_id: 'bigint',
  sending_id: 'bigint',
  status: 'text',
  due_at: 'bigint',
  tried_at: 'bigint',
}

/**
 * Writes down what attempts came to: recipients, counters and deliveries. It may be run again with the
 * same outcomes where its end was never heard of. An outcome of a process that was taken for dead
 * replaces the doubt that others have written down meanwhile, unless an operator has decided.
 */
export async function recordOutcomes(
  tx: Transaction<Tables>,
  outcomes: readonly JobOutcome[],
  context: ClaimContext,
): Promise<void> {
  if (outcomes.length === 0) return
  const { storage, now } = context
  const own = await updateRecipients(tx, outcomes, { ...context, isDoubted: false })
  const others = outcomes.filter((outcome) => !own.has(keyOf(outcome)))
  const doubted = await updateRecipients(tx, others, { ...context, isDoubted: true })
  const isNew = (outcome: JobOutcome) => own.has(keyOf(outcome)) || doubted.has(keyOf(outcome))
  const news = outcomes.filter(isNew)
  for (const outcome of outcomes) {
    if (doubted.has(keyOf(outcome))) await removeDoubt(tx, outcome)
    else if (!isNew(outcome) && !(await isRecorded(tx, outcome))) news.push(outcome)
  }
  const rows = news.map(({ delivery }) => ({
    ...delivery,
    recipient_key: fold(delivery.recipient),
  }))
  const target = { table: 'deliveries', columns: deliveryColumns, kind: storage.kind }
  await insertRows(tx, target, rows)
  const changed = outcomes.filter(isNew)
  await changeCounts(tx, sumUp(changed, doubted), now)
}

function keyOf({ sendingId, contactId }: JobOutcome): string {
  return `${sendingId} ${contactId}`
}

/** Changes the recipients who are this process's, or in doubt because of it; returns whom it changed. */
async function updateRecipients(
  tx: Transaction<Tables>,
  outcomes: readonly JobOutcome[],
  { storage, processId, isDoubted }: ClaimContext & { isDoubted: boolean },
): Promise<Set<string>> {
  if (outcomes.length === 0) return new Set()
  const rows = outcomes.map(({ emailId, contactId, sendingId, status, dueAt, delivery }) => ({
    email_id: emailId,
    contact_id: contactId,
    sending_id: sendingId,
    status,
    due_at: dueAt,
    tried_at: delivery.started_at,
  }))
  const from: RawBuilder<unknown> = jsonRows(storage.kind, given, rows)
  const before = sql.raw(isDoubted ? "('uncertain')" : "('claimed', 'sending')")
  const { rows: changed } = await sql<{ sending_id: number; contact_id: number }>`
    update sending_recipients set
      status = given.status, due_at = given.due_at, claimed_by = null,
      attempts = sending_recipients.attempts + 1,
      tried_at = coalesce(sending_recipients.tried_at, given.tried_at)
    from ${from}
    where sending_recipients.email_id = given.email_id
      and sending_recipients.contact_id = given.contact_id
      and sending_recipients.sending_id = given.sending_id
      and ${unindexed(storage.kind, 'sending_recipients.claimed_by')} = ${processId}
      and sending_recipients.status in ${before}
    returning sending_recipients.sending_id as sending_id,
      sending_recipients.contact_id as contact_id`.execute(tx)
  return new Set(changed.map((row) => `${row.sending_id} ${row.contact_id}`))
}

/** The delivery that was written down for a process that was taken for dead gives way to the truth. */
async function removeDoubt(tx: Transaction<Tables>, outcome: JobOutcome): Promise<void> {
  await ofSameMessage(tx, outcome).where('reason', '=', lostReason).execute()
}

/** Of the process that sent it, in the log. */
export const lostReason = 'The process that sent it died before the answer came.'

function ofSameMessage(tx: Transaction<Tables>, { sendingId, contactId }: JobOutcome) {
  return tx
    .deleteFrom('deliveries')
    .where('sending_id', '=', sendingId)
    .where('contact_id', '=', contactId)
    .where('outcome', '=', 'uncertain')
}

/** Whether an earlier try wrote it down, whose end was never heard of. */
async function isRecorded(
  tx: Transaction<Tables>,
  { sendingId, contactId, delivery }: JobOutcome,
): Promise<boolean> {
  const found = await tx
    .selectFrom('deliveries')
    .select('id')
    .where('contact_id', '=', contactId)
    .where('sending_id', '=', sendingId)
    .where('started_at', '=', delivery.started_at)
    .where('process_id', '=', delivery.process_id)
    .where('outcome', '=', delivery.outcome)
    .executeTakeFirst()
  return found !== undefined
}

function sumUp(
  outcomes: readonly JobOutcome[],
  doubted: ReadonlySet<string>,
): Map<number, CountChange> {
  const changes = new Map<number, CountChange>()
  for (const outcome of outcomes) {
    const { sendingId, status, dueAt } = outcome
    const change = changes.get(sendingId) ?? {
      accepted: 0,
      refused: 0,
      uncertain: 0,
      dueAt: undefined,
    }
    changes.set(sendingId, change)
    if (status === 'queued') change.dueAt = Math.min(change.dueAt ?? dueAt, dueAt)
    else change[status] += 1
    if (doubted.has(keyOf(outcome))) change.uncertain -= 1
  }
  return changes
}

const deliveryColumns: JsonColumns = {
  started_at: 'bigint',
  duration_ms: 'bigint',
  source: 'text',
  caller: 'text',
  email_id: 'bigint',
  contact_id: 'bigint',
  sending_id: 'bigint',
  sender: 'text',
  recipient: 'text',
  recipient_key: 'text',
  transport_id: 'bigint',
  transport: 'text',
  member: 'text',
  outcome: 'text',
  is_permanent: 'boolean',
  reply: 'text',
  reason: 'text',
  message_id: 'text',
  provider_id: 'text',
  process_id: 'text',
  trace: 'text',
}
