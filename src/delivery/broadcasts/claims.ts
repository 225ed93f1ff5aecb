import { sql, type Transaction } from 'kysely'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { normalizeForSearch } from '../../kit/normalize-for-search.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { type CountChange, changeCounts, noChange } from './counts.ts'
import { isAmong, textById, unindexed } from './rows.ts'
import { type Attempt, type BroadcastRow, type BroadcastTables, writeAttempt } from './table.ts'
import { removeUncertainDelivery } from './uncertain-recipients.ts'

type Tables = BroadcastTables & ContactTables & DeliveryTables

/** A recipient that this process has claimed. */
export interface Claim {
  broadcastId: number
  emailId: number
  contactId: number
  /** The contact as it is now; undefined if it was deleted. */
  contact: ContactRow | undefined
  /** How often it was tried before, and the time of the first try. */
  attempts: number
  triedAt: number | null
  /** Whether another contact got the message of this broadcast at the address that this contact has now. */
  isRepeatedAddress?: boolean
}

/** The process that changes recipients, and the time. */
export interface ClaimContext {
  storage: Storage
  processId: string
  now: number
}

/**
 * Claims some recipients that are due; no other process claims them. Returns none if this process has expired: it needs
 * a new heartbeat first.
 */
export async function claimRecipients(
  broadcast: Pick<BroadcastRow, 'id' | 'email_id' | 'created_at'>,
  limit: number,
  { storage, processId, now }: ClaimContext,
): Promise<Claim[]> {
  const { id: broadcastId, email_id: emailId } = broadcast
  const { kind } = storage
  return storage.transaction(async (tx: Transaction<Tables>) => {
    // The lock makes a process that expires this one wait, or this one sees that it has expired.
    const alive = tx.selectFrom('delivery_processes').select('id').where('id', '=', processId)
    if ((await alive.forKeyShare().executeTakeFirst()) === undefined) return []
    const current = tx.selectFrom('broadcasts').select('status').where('id', '=', broadcastId)
    if ((await current.forKeyShare().executeTakeFirst())?.status !== 'running') return []
    const lock = sql.raw(kind === 'postgres' ? 'for update skip locked' : '')
    const { rows } =
      await sql<DueRecipient>`select contact_id, attempts, tried_at from broadcast_recipients
      where broadcast_id = ${broadcastId} and status = 'queued' and due_at <= ${now}
      order by due_at limit ${limit} ${lock}`.execute(tx)
    if (rows.length === 0) return []
    const ids = rows.map((row) => row.contact_id)
    await sql`update broadcast_recipients set status = 'claimed', claimed_by = ${processId}
      where email_id = ${emailId} and ${isAmong(kind, 'contact_id', ids)}
        and broadcast_id = ${broadcastId}`.execute(tx)
    const contacts = await tx
      .selectFrom('contacts')
      .selectAll()
      .where(isAmong(kind, 'id', ids))
      .execute()
    const repeated = await findRepeatedAddresses(tx, contacts, { broadcast, storage })
    const byId = new Map(contacts.map((contact) => [contact.id, contact]))
    return rows.map((row) => ({
      broadcastId,
      emailId,
      contactId: row.contact_id,
      contact: byId.get(row.contact_id),
      attempts: row.attempts,
      triedAt: row.tried_at,
      ...(repeated.has(row.contact_id) ? { isRepeatedAddress: true } : {}),
    }))
  })
}

/**
 * Finds contacts whose address belonged to another contact when it got the message of this broadcast. Contacts have
 * unique addresses, so only those changed since the broadcast was created are looked up.
 */
async function findRepeatedAddresses(
  tx: Transaction<Tables>,
  contacts: readonly ContactRow[],
  about: { broadcast: Pick<BroadcastRow, 'id' | 'created_at'>; storage: Storage },
): Promise<Set<number>> {
  const { broadcast, storage } = about
  const changedSince = ({ date_modified, date_added }: ContactRow) =>
    (date_modified ?? date_added) >= broadcast.created_at
  const byKey = new Map<string, number>()
  for (const contact of contacts)
    if (contact.email !== null && changedSince(contact))
      byKey.set(normalizeForSearch(contact.email), contact.id)
  if (byKey.size === 0) return new Set()
  const sent = await tx
    .selectFrom('deliveries')
    .select(['recipient_key', 'contact_id'])
    .where('recipient_key', 'in', [...byKey.keys()])
    .where(sql<boolean>`${unindexed(storage.kind, 'broadcast_id')} = ${broadcast.id}`)
    .where('outcome', 'in', ['accepted', 'uncertain'])
    .execute()
  const repeated = sent.map((row) => ({ id: byKey.get(row.recipient_key), by: row.contact_id }))
  return new Set(repeated.flatMap(({ id, by }) => (id === undefined || id === by ? [] : [id])))
}

interface DueRecipient {
  contact_id: number
  attempts: number
  tried_at: number | null
}

/** The recipients of one broadcast who may be sent to; none, and `isStopped`, if it no longer runs. */
export interface StartedAttempts {
  isStopped: boolean
  contactIds: ReadonlySet<number>
}

/** A claimed recipient, and the attempt that is about to be made. */
export interface PendingAttempt {
  claim: Claim
  attempt: Attempt
}

/**
 * Marks recipients as `attempting` before their messages are sent. Returns those that may be sent, by broadcast: they
 * are still claimed by this process and their broadcast runs. A recipient that a lost commit has marked already is
 * returned too.
 */
export async function startAttempts(
  tx: Transaction<BroadcastTables>,
  pending: readonly PendingAttempt[],
  { storage: { kind }, processId }: ClaimContext,
): Promise<Map<number, StartedAttempts>> {
  const byBroadcast = Map.groupBy(pending, ({ claim }) => claim.broadcastId)
  const started = new Map<number, StartedAttempts>()
  for (const [broadcastId, ofOne] of [...byBroadcast].sort(([one], [other]) => one - other)) {
    // Pausing or cancelling it waits for the end of this transaction, and vice versa.
    const current = tx.selectFrom('broadcasts').select('status').where('id', '=', broadcastId)
    const status = (await current.forKeyShare().executeTakeFirst())?.status
    if (status !== 'running') {
      started.set(broadcastId, { isStopped: true, contactIds: new Set() })
      continue
    }
    const ids = ofOne.map(({ claim }) => claim.contactId)
    const attempts = ofOne.map(
      ({ claim, attempt }) => [claim.contactId, writeAttempt(attempt)] as const,
    )
    const { rows } = await sql<{ contact_id: number }>`update broadcast_recipients
      set status = 'attempting', attempt = ${textById(kind, 'contact_id', attempts)}
      where email_id = ${ofOne[0]?.claim.emailId} and ${isAmong(kind, 'contact_id', ids)}
        and broadcast_id = ${broadcastId} and ${unindexed(kind, 'claimed_by')} = ${processId}
        and status in ('claimed', 'attempting')
      returning contact_id`.execute(tx)
    const contactIds = new Set(rows.map((row) => row.contact_id))
    started.set(broadcastId, { isStopped: false, contactIds })
  }
  return started
}

/**
 * Returns claims to the queue for which nothing was sent. Default due time: now. If this process was taken for expired
 * meanwhile, its recipients that became uncertain go back to the queue too, unless an operator has settled them.
 */
export async function releaseClaims(
  claims: readonly Claim[],
  { storage, processId, now }: ClaimContext,
  dueAt: number = now,
): Promise<void> {
  if (claims.length === 0) return
  await storage.transaction(async (tx: Transaction<BroadcastTables & DeliveryTables>) => {
    const byBroadcast = Map.groupBy(claims, ({ broadcastId }) => broadcastId)
    const changes = new Map<number, CountChange>()
    for (const [broadcastId, ofOne] of byBroadcast) {
      const ids = ofOne.map(({ contactId }) => contactId)
      const requeue = (states: string) =>
        sql<{ contact_id: number }>`update broadcast_recipients
          set status = 'queued', claimed_by = null, due_at = ${dueAt}
          where email_id = ${ofOne[0]?.emailId} and ${isAmong(storage.kind, 'contact_id', ids)}
            and broadcast_id = ${broadcastId} and ${unindexed(storage.kind, 'claimed_by')} = ${processId}
            and status in (${sql.raw(states)}) returning contact_id`.execute(tx)
      const { rows } = await requeue("'claimed', 'attempting'")
      const expired = rows.length === ids.length ? [] : (await requeue("'uncertain'")).rows
      for (const { contact_id: contactId } of expired)
        await removeUncertainDelivery(tx, { broadcastId, contactId })
      changes.set(broadcastId, { ...noChange, uncertain: 0 - expired.length, dueAt })
    }
    await changeCounts(tx, changes, now)
  })
}

/** Returns everything to the queue that this process has claimed, even claims whose answer was lost. */
export async function releaseAllClaims({ storage, processId, now }: ClaimContext): Promise<void> {
  await storage.transaction(async (tx: Transaction<BroadcastTables>) => {
    const { rows } = await sql<{ broadcast_id: number }>`update broadcast_recipients
      set status = 'queued', claimed_by = null
      where claimed_by = ${processId} and status = 'claimed' returning broadcast_id`.execute(tx)
    const change = { ...noChange, dueAt: now }
    await changeCounts(tx, new Map(rows.map((row) => [row.broadcast_id, change])), now)
  })
}
