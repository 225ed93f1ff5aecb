import { sql, type Transaction } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { DatabaseKind } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import type { ClaimContext } from './claims.ts'
import { type CountChange, changeCounts, noChange } from './counts.ts'
import { insertRows, isAmong, type JsonColumns, unindexed } from './rows.ts'
import type { BroadcastTables, RecipientStatus } from './table.ts'
import { removeUncertainDelivery } from './uncertain-recipients.ts'

type Tables = BroadcastTables & DeliveryTables

/** The outcome of one attempt for one recipient. */
export interface AttemptOutcome {
  broadcastId: number
  emailId: number
  contactId: number
  /** `queued`: retry at `dueAt`. */
  status: Exclude<RecipientStatus, 'claimed' | 'attempting'>
  dueAt: number
  delivery: Omit<DeliveryRow, 'id'>
  /** Whether the server does not know the address. */
  isBounce?: boolean
}

/**
 * Writes the outcomes of attempts: recipients, counters and deliveries. It is idempotent, so it may be repeated after a
 * lost commit. If this process had expired meanwhile, its outcomes replace the `uncertain` ones that another process has
 * written, unless an operator has settled them.
 */
export async function recordOutcomes(
  tx: Transaction<Tables>,
  outcomes: readonly AttemptOutcome[],
  context: ClaimContext,
): Promise<void> {
  if (outcomes.length === 0) return
  const { storage, now } = context
  const own = await updateRecipients(tx, outcomes, { ...context, wasUncertain: false })
  const others = outcomes.filter((outcome) => !own.has(keyOf(outcome)))
  const resolved = await updateRecipients(tx, others, { ...context, wasUncertain: true })
  const isNew = (outcome: AttemptOutcome) => own.has(keyOf(outcome)) || resolved.has(keyOf(outcome))
  const added = outcomes.filter(isNew)
  for (const outcome of outcomes) {
    if (resolved.has(keyOf(outcome))) await removeUncertainDelivery(tx, outcome)
    else if (!isNew(outcome) && !(await isRecorded(tx, outcome))) added.push(outcome)
  }
  const rows = added.map(({ delivery }) => ({
    ...delivery,
    recipient_key: emailKey(delivery.recipient),
  }))
  const target = { table: 'deliveries', columns: deliveryColumns, kind: storage.kind }
  await insertRows(tx, target, rows)
  const changed = outcomes.filter(isNew)
  await changeCounts(tx, countChanges(changed, resolved), now)
}

function keyOf({
  broadcastId,
  contactId,
}: Pick<AttemptOutcome, 'broadcastId' | 'contactId'>): string {
  return `${broadcastId} ${contactId}`
}

/** Changes the recipients that this process has claimed, or that became uncertain when it expired; returns their keys. */
async function updateRecipients(
  tx: Transaction<Tables>,
  outcomes: readonly AttemptOutcome[],
  { storage, processId, wasUncertain }: ClaimContext & { wasUncertain: boolean },
): Promise<Set<string>> {
  const { kind } = storage
  const before = sql.raw(wasUncertain ? "('uncertain')" : "('claimed', 'attempting')")
  const changed = new Set<string>()
  for (const [broadcastId, ofOne] of Map.groupBy(outcomes, (outcome) => outcome.broadcastId)) {
    const given = valuesByContact(kind, ofOne)
    const { rows } = await sql<{ contact_id: number }>`update broadcast_recipients set
        status = ${given.status}, due_at = ${given.dueAt}, claimed_by = null, attempt = null,
        attempts = attempts + 1, tried_at = coalesce(tried_at, ${given.triedAt})
      from ${given.from}
      where ${given.isRecipient} and broadcast_id = ${broadcastId}
        and ${unindexed(kind, 'claimed_by')} = ${processId} and status in ${before}
      returning contact_id`.execute(tx)
    for (const row of rows) changed.add(keyOf({ broadcastId, contactId: row.contact_id }))
  }
  return changed
}

/** Maps contacts to their new values; on each database in the form that looks recipients up by primary key. */
function valuesByContact(kind: DatabaseKind, outcomes: readonly AttemptOutcome[]) {
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
      // With the email as a constant, SQLite would scan all of its recipients.
      isRecipient: sql`contact_id = ${value(0)} and email_id = ${value(1)}`,
      status: value(2),
      dueAt: value(3),
      triedAt: value(4),
    }
  }
  // With a join, PostgreSQL would scan the whole table while it is small.
  const ids = outcomes.map(({ contactId }) => contactId)
  const map = JSON.stringify(Object.fromEntries(rows.map((row) => [row[0], row])))
  const value = (index: number) => sql`given.map -> contact_id::text ->> ${sql.lit(index)}`
  return {
    from: sql`(select ${map}::jsonb as map) as given`,
    isRecipient: sql`email_id = ${outcomes[0]?.emailId} and ${isAmong(kind, 'contact_id', ids)}`,
    status: value(2),
    dueAt: sql`(${value(3)})::bigint`,
    triedAt: sql`(${value(4)})::bigint`,
  }
}

/** Whether a commit whose answer was lost has written it. */
async function isRecorded(
  tx: Transaction<Tables>,
  { broadcastId, contactId, delivery }: AttemptOutcome,
): Promise<boolean> {
  const found = await tx
    .selectFrom('deliveries')
    .select('id')
    .where('contact_id', '=', contactId)
    .where('broadcast_id', '=', broadcastId)
    .where('started_at', '=', delivery.started_at)
    .where('process_id', '=', delivery.process_id)
    .where('outcome', '=', delivery.outcome)
    .executeTakeFirst()
  return found !== undefined
}

function countChanges(
  outcomes: readonly AttemptOutcome[],
  resolved: ReadonlySet<string>,
): Map<number, CountChange> {
  const changes = new Map<number, CountChange>()
  for (const outcome of outcomes) {
    const { broadcastId, status, dueAt } = outcome
    const change = changes.get(broadcastId) ?? { ...noChange, dueAt: undefined }
    changes.set(broadcastId, change)
    if (status === 'queued') change.dueAt = Math.min(change.dueAt ?? dueAt, dueAt)
    else change[status] += 1
    if (resolved.has(keyOf(outcome))) change.uncertain -= 1
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
  broadcast_id: 'bigint',
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
