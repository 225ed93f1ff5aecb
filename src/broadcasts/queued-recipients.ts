import { type QueryExecutorProvider, sql } from 'kysely'

// The recipients of a broadcast that wait in the queue. A broadcast is a message with many recipients, whose body is
// rendered for each of them.

/** Identifies the email to a contact in the queue and in the delivery log: a contact gets an email once. */
export function recipientKeyOf(emailId: number, contactId: string) {
  return sql<string>`('email ' || cast(${emailId} as text) || ' contact ' || cast(${sql.ref(contactId)} as text))`
}

/** Creates the message of a new broadcast; its recipients follow. Each has its own time to expire. */
export async function addBroadcastMessage(
  tx: QueryExecutorProvider,
  broadcast: {
    id: number
    emailId: number
    caller: string
    /** The address in From. */
    from: string
    now: number
  },
): Promise<void> {
  const { id, emailId, caller, from, now } = broadcast
  await sql`insert into queue_messages
      (broadcast_id, email_id, caller, sender, created_at, lane, expires_at, submitter, size_bytes, key_id, body)
    values (${id}, ${emailId}, ${caller}, ${from}, ${now}, 'bulk', ${Number.MAX_SAFE_INTEGER}, '', 0, '',
      ${Buffer.alloc(0)})`.execute(tx)
}

/** Takes the recipients of a broadcast from all processes, except those whose attempt has started. */
export async function pauseRecipients(
  tx: QueryExecutorProvider,
  broadcastId: number,
): Promise<void> {
  await setPaused(tx, broadcastId, true)
  await sql`update queue_recipients set state = 'paused', claimed_by = null
    where broadcast_id = ${broadcastId} and ${isUnstarted}`.execute(tx)
}

/** Lets the recipients of a broadcast be sent to. Their lifetime begins again: the pause does not count. */
export async function resumeRecipients(
  tx: QueryExecutorProvider,
  broadcastId: number,
  expiresAt: number,
): Promise<void> {
  await setPaused(tx, broadcastId, false)
  await sql`update queue_recipients set state = 'queued', expires_at = ${expiresAt}
    where broadcast_id = ${broadcastId} and state = 'paused'`.execute(tx)
}

/** Removes the recipients of a cancelled broadcast, except those whose attempt has started or whose outcome is uncertain. */
export async function removeWaiting(tx: QueryExecutorProvider, broadcastId: number): Promise<void> {
  await setPaused(tx, broadcastId, true)
  await sql`delete from queue_recipients
    where broadcast_id = ${broadcastId} and (${isUnstarted} or state = 'held')`.execute(tx)
}

/** Counts the recipients of a broadcast in the queue that have no outcome. */
export async function countWaiting(
  tx: QueryExecutorProvider,
  broadcastId: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from queue_recipients
    where broadcast_id = ${broadcastId} and state <> 'uncertain'`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

/** Lets the recipients of a broadcast wait or be sent to that are added from now on. */
export async function setPaused(
  tx: QueryExecutorProvider,
  broadcastId: number,
  isPaused: boolean,
): Promise<void> {
  await sql`update queue_messages set is_paused = ${isPaused}
    where broadcast_id = ${broadcastId}`.execute(tx)
}

const isUnstarted = sql`(state in ('queued', 'paused') or state = 'claimed' and not exists (
  select 1 from delivery_keys where delivery_keys.key = queue_recipients.message_key))`
