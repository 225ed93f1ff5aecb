import { sql, type Transaction } from 'kysely'
import type { AuthTables } from '../../auth/index.ts'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { normalizeForSearch } from '../../kit/normalize-for-search.ts'
import { type OwnerData, ownerColumns } from '../../messages/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import type { RecipientId } from './recipient-states.ts'
import type { BroadcastRow, BroadcastTables } from './table.ts'

type Tables = AuthTables & BroadcastTables & ContactTables & DeliveryTables

/** A recipient that this process has claimed. */
export interface Claim extends RecipientId {
  /** The contact as it is now; undefined if it was deleted. */
  contact: ContactRow | undefined
  /** The user who owns the contact. */
  owner: OwnerData | undefined
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
  return storage.transaction(async (tx: Transaction<Tables>) => {
    // The lock makes a process that expires this one wait, or this one sees that it has expired.
    const alive = tx.selectFrom('delivery_processes').select('id').where('id', '=', processId)
    if ((await alive.forKeyShare().executeTakeFirst()) === undefined) return []
    const current = tx.selectFrom('broadcasts').select('state').where('id', '=', broadcastId)
    if ((await current.forKeyShare().executeTakeFirst())?.state !== 'running') return []
    const lock = storage.forUpdateSkipLocked()
    const { rows } =
      await sql<DueRecipient>`select contact_id, attempts, tried_at from broadcast_recipients
      where broadcast_id = ${broadcastId} and state = 'queued' and due_at <= ${now}
      order by due_at limit ${limit} ${lock}`.execute(tx)
    if (rows.length === 0) return []
    const ids = rows.map((row) => row.contact_id)
    await sql`update broadcast_recipients set state = 'claimed', claimed_by = ${processId}
      where email_id = ${emailId} and ${storage.isAmong('contact_id', ids)}
        and broadcast_id = ${broadcastId}`.execute(tx)
    const contacts = await tx
      .selectFrom('contacts')
      .selectAll()
      .where(storage.isAmong('id', ids))
      .execute()
    const owners = await findOwners(tx, contacts)
    const repeated = await findRepeatedAddresses(tx, contacts, { broadcast, storage })
    const byId = new Map(contacts.map((contact) => [contact.id, contact]))
    return rows.map((row) => ({
      broadcastId,
      emailId,
      contactId: row.contact_id,
      contact: byId.get(row.contact_id),
      owner: owners.get(byId.get(row.contact_id)?.owner_id ?? 0),
      attempts: row.attempts,
      triedAt: row.tried_at,
      ...(repeated.has(row.contact_id) ? { isRepeatedAddress: true } : {}),
    }))
  })
}

async function findOwners(
  tx: Transaction<Tables>,
  contacts: readonly ContactRow[],
): Promise<Map<number, OwnerData>> {
  const ids = [...new Set(contacts.flatMap((contact) => contact.owner_id ?? []))]
  const owners =
    ids.length === 0
      ? []
      : await tx.selectFrom('users').select(ownerColumns).where('id', 'in', ids).execute()
  return new Map(owners.map((owner) => [owner.id, owner]))
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
    .where(sql<boolean>`${storage.unindexed('broadcast_id')} = ${broadcast.id}`)
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
