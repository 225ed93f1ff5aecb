import { sql, type Transaction } from 'kysely'
import { emailKey } from '../../kit/email-key.ts'
import type { DatabaseKind } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import type { ClaimContext } from './claims.ts'
import { type CountChange, changeCounts } from './counts.ts'
import { insertRows, isAmong, type JsonColumns, unindexed } from './rows.ts'
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
    recipient_key: emailKey(delivery.recipient),
  }))
  const target = { table: 'deliveries', columns: deliveryColumns, kind: storage.kind }
  await insertRows(tx, target, rows)
  const changed = outcomes.filter(isNew)
  await changeCounts(tx, sumUp(changed, doubted), now)
}

function keyOf({ sendingId, contactId }: Pick<JobOutcome, 'sendingId' | 'contactId'>): string {
  return `${sendingId} ${contactId}`
}

/** Changes the recipients who are this process's, or in doubt because of it; returns whom it changed. */
async function updateRecipients(
  tx: Transaction<Tables>,
  outcomes: readonly JobOutcome[],
  { storage, processId, isDoubted }: ClaimContext & { isDoubted: boolean },
): Promise<Set<string>> {
  const { kind } = storage
  const before = sql.raw(isDoubted ? "('uncertain')" : "('claimed', 'sending')")
  const changed = new Set<string>()
  for (const [sendingId, ofOne] of Map.groupBy(outcomes, (outcome) => outcome.sendingId)) {
    const given = givenValues(kind, ofOne)
    const { rows } = await sql<{ contact_id: number }>`update sending_recipients set
        status = ${given.status}, due_at = ${given.dueAt}, claimed_by = null, attempt = null,
        attempts = attempts + 1, tried_at = coalesce(tried_at, ${given.triedAt})
      from ${given.from}
      where ${given.areTheirs} and sending_id = ${sendingId}
        and ${unindexed(kind, 'claimed_by')} = ${processId} and status in ${before}
      returning contact_id`.execute(tx)
    for (const row of rows) changed.add(keyOf({ sendingId, contactId: row.contact_id }))
  }
  return changed
}

/** What each contact is given; each database is asked in the way in which it looks them up one by one. */
function givenValues(kind: DatabaseKind, outcomes: readonly JobOutcome[]) {
  const rows = outcomes.map(({ contactId, emailId, status, dueAt, delivery }) => [
    contactId,
    emailId,
    status,
    dueAt,
    delivery.started_at,
  ])
  if (kind === 'sqlite') {
    const value = (index: number) => sql`given.value ->> ${sql.lit(index)}`
    return {
      from: sql`json_each(${JSON.stringify(rows)}) as given`,
      // With a constant email, SQLite would go through all of its recipients.
      areTheirs: sql`contact_id = ${value(0)} and email_id = ${value(1)}`,
      status: value(2),
      dueAt: value(3),
      triedAt: value(4),
    }
  }
  // With a join, PostgreSQL would go through the whole table until that is large.
  const ids = outcomes.map(({ contactId }) => contactId)
  const map = JSON.stringify(Object.fromEntries(rows.map((row) => [row[0], row])))
  const value = (index: number) => sql`given.map -> contact_id::text ->> ${sql.lit(index)}`
  return {
    from: sql`(select ${map}::jsonb as map) as given`,
    areTheirs: sql`email_id = ${outcomes[0]?.emailId} and ${isAmong(kind, 'contact_id', ids)}`,
    status: value(2),
    dueAt: sql`(${value(3)})::bigint`,
    triedAt: sql`(${value(4)})::bigint`,
  }
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
