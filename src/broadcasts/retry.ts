import { type RawBuilder, sql, type Transaction } from 'kysely'
import { continuedBrake } from '../delivery/index.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import { isSuppressed } from '../suppressions/index.ts'
import { addingLock, type ProducerTables } from './producer.ts'
import { recipientKeyOf } from './queued-recipients.ts'
import type { BroadcastRow } from './table.ts'

/** The deliveries of one transaction: some ten milliseconds. */
const deliveriesPerBatch = 1_000

/** The refused recipients that went back to the queue, and those that did not. */
export interface Retried {
  retried: number
  /** They got the email by another broadcast or are about to, or cannot get it any more. */
  skipped: number
}

/** The broadcast whose refused recipients are sent to again. */
export interface RetriedBroadcast extends Pick<BroadcastRow, 'id' | 'email_id'> {
  /** The domain of the sender, which suppressions may name. */
  senderDomain: string
}

/**
 * Puts the refused recipients of a broadcast back into the queue, as new ones. A broadcast that was done runs again. Leaves
 * out contacts that are deleted, unpublished, suppressed or without an address, and those that have the email from another
 * broadcast or wait for it.
 */
export async function retryRefused(
  storage: Storage,
  broadcast: RetriedBroadcast,
  { now, expiresAt, transportId }: { now: number; expiresAt: number; transportId: number },
): Promise<Retried> {
  const { id, email_id: emailId } = broadcast
  const sum = { retried: 0, skipped: 0 }
  for await (const contactIds of refusedContacts(storage, id, now)) {
    const retried = await storage.transaction(async (tx: Transaction<ProducerTables>) => {
      // Another broadcast of the email must not add the same contact.
      await storage.lock(tx, addingLock(emailId))
      const current = tx.selectFrom('broadcasts').select('state').where('id', '=', id)
      const row = await current.forUpdate().executeTakeFirst()
      if (row === undefined || row.state === 'cancelled' || contactIds.length === 0) return 0
      const added = await requeue(tx, retryable(storage, broadcast, contactIds), {
        emailId,
        now,
        expiresAt,
        transportId,
      })
      const runsAgain = row.state === 'done' && added > 0
      const begun = { finished_at: null, ...continuedBrake(now) }
      await tx
        .updateTable('broadcasts')
        .set({ refused: sql<number>`refused - ${added}` })
        .$if(runsAgain, (update) => update.set({ state: 'running', ...begun }))
        .where('id', '=', id)
        .execute()
      return added
    })
    sum.retried += retried
    sum.skipped += contactIds.length - retried
  }
  return sum
}

/** Counts what `retryRefused` would do, and changes nothing. */
export async function countRetryable(
  storage: Storage,
  broadcast: RetriedBroadcast,
  now: number,
): Promise<Retried> {
  const db = storage.tables<ProducerTables>()
  const sum = { retried: 0, skipped: 0 }
  for await (const contactIds of refusedContacts(storage, broadcast.id, now)) {
    if (contactIds.length === 0) continue
    const { rows } = await sql<{ count: number }>`select count(*) as count
      ${retryable(storage, broadcast, contactIds)}`.execute(db)
    const retried = Number(rows[0]?.count ?? 0)
    sum.retried += retried
    sum.skipped += contactIds.length - retried
  }
  return sum
}

/** Yields the contacts of the refused deliveries of a broadcast, each once, in batches. */
async function* refusedContacts(
  storage: Storage,
  broadcastId: number,
  now: number,
): AsyncGenerator<number[]> {
  const seen = new Set<number>()
  for (let before: Place | undefined = { startedAt: now + 1, id: 0 }; before !== undefined; ) {
    const refused = await readRefused(storage, broadcastId, before)
    before = refused.at(-1)
    const contactIds = refused.map(({ contactId }) => contactId).filter((each) => !seen.has(each))
    for (const contactId of contactIds) seen.add(contactId)
    yield [...new Set(contactIds)]
    await pause()
  }
}

interface Place {
  startedAt: number
  id: number
}

/** Reads some refused deliveries of a broadcast, the newest first. */
async function readRefused(
  storage: Storage,
  broadcastId: number,
  before: Place,
): Promise<(Place & { contactId: number })[]> {
  const { rows } = await sql<{ id: number; started_at: number; contact_id: number }>`
    select id, started_at, contact_id from deliveries
    where broadcast_id = ${broadcastId} and (outcome = 'refused' or outcome = 'expired')
      and contact_id is not null
      and not exists (select 1 from deliveries later
        where later.broadcast_id = ${broadcastId} and later.contact_id = deliveries.contact_id
          and later.id > deliveries.id)
      and (started_at < ${before.startedAt} or started_at = ${before.startedAt} and id < ${before.id})
    order by started_at desc, id desc limit ${deliveriesPerBatch}`.execute(
    storage.tables<ProducerTables>(),
  )
  return rows.map((row) => ({
    id: row.id,
    startedAt: row.started_at,
    contactId: row.contact_id,
  }))
}

/** Selects the contacts among these that can be sent to again, with the message of their broadcast. */
function retryable(
  storage: Pick<Storage, 'isAmong'>,
  { id, email_id: emailId, senderDomain }: RetriedBroadcast,
  contactIds: readonly number[],
): RawBuilder<unknown> {
  const key = recipientKeyOf(emailId, 'contacts.id')
  return sql`from contacts, queue_messages m
    where m.broadcast_id = ${id} and ${storage.isAmong('contacts.id', contactIds)}
      and contacts.email is not null and contacts.is_published
      and not ${isSuppressed('contacts.email_key', senderDomain)}
      and (select 1 from delivery_keys where delivery_keys.key = ${key}) is null
      and not exists (select 1 from queue_recipients r where r.message_key = ${key})`
}

async function requeue(
  tx: Transaction<ProducerTables>,
  contacts: RawBuilder<unknown>,
  {
    emailId,
    now,
    expiresAt,
    transportId,
  }: { emailId: number; now: number; expiresAt: number; transportId: number },
): Promise<number> {
  const { numAffectedRows } = await sql`insert into queue_recipients
      (message_id, broadcast_id, contact_id, address, address_key, state, lane, transport_id, due_at, created_at,
        expires_at, attempts, message_key)
    select m.id, m.broadcast_id, contacts.id, contacts.email, contacts.email_key,
      case when m.is_paused then 'paused' else 'queued' end, 'bulk', cast(${transportId} as bigint),
      cast(${now} as bigint), cast(${now} as bigint), cast(${expiresAt} as bigint), 0,
      ${recipientKeyOf(emailId, 'contacts.id')}
    ${contacts}
    on conflict do nothing`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}
