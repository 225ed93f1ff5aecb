import { sql, type Transaction } from 'kysely'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { fold } from '../../kit/fold.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { changeCounts } from './counts.ts'
import { type Attempt, writeAttempt } from './leaving-attempt.ts'
import { givenText, isAmong, unindexed } from './rows.ts'
import type { SendingRow, SendingTables } from './table.ts'

type Tables = SendingTables & ContactTables & DeliveryTables

/** A recipient whom this process has taken. */
export interface Claim {
  sendingId: number
  emailId: number
  contactId: number
  /** As it is now; undefined where it was deleted. */
  contact: ContactRow | undefined
  /** How often it was tried before, and when first. */
  attempts: number
  triedAt: number | null
  /** Whether another contact has had the message of this sending at the address that this one has now. */
  isRepeated?: boolean
}

/** Who sends, and when. */
export interface ClaimContext {
  storage: Storage
  processId: string
  now: number
}

/**
 * Takes some recipients who are due; nobody else will. Those of a process that was taken for dead are
 * none: it must say first that it lives.
 */
export async function claim(
  sending: Pick<SendingRow, 'id' | 'email_id' | 'created_at'>,
  limit: number,
  { storage, processId, now }: ClaimContext,
): Promise<Claim[]> {
  const { id: sendingId, email_id: emailId } = sending
  const { kind } = storage
  return storage.transaction(async (tx: Transaction<Tables>) => {
    // Whoever buries this process waits for the end of this transaction, or it finds itself buried.
    const alive = tx.selectFrom('sending_processes').select('id').where('id', '=', processId)
    if ((await alive.forKeyShare().executeTakeFirst()) === undefined) return []
    const current = tx.selectFrom('sendings').select('status').where('id', '=', sendingId)
    if ((await current.forKeyShare().executeTakeFirst())?.status !== 'running') return []
    const lock = sql.raw(kind === 'postgres' ? 'for update skip locked' : '')
    const { rows } = await sql<Due>`select contact_id, attempts, tried_at from sending_recipients
      where sending_id = ${sendingId} and status = 'queued' and due_at <= ${now}
      order by due_at limit ${limit} ${lock}`.execute(tx)
    if (rows.length === 0) return []
    const ids = rows.map((row) => row.contact_id)
    await sql`update sending_recipients set status = 'claimed', claimed_by = ${processId}
      where email_id = ${emailId} and ${isAmong(kind, 'contact_id', ids)}
        and sending_id = ${sendingId}`.execute(tx)
    const contacts = await tx
      .selectFrom('contacts')
      .selectAll()
      .where(isAmong(kind, 'id', ids))
      .execute()
    const repeated = await findRepeated(tx, contacts, { sending, storage })
    const byId = new Map(contacts.map((contact) => [contact.id, contact]))
    return rows.map((row) => ({
      sendingId,
      emailId,
      contactId: row.contact_id,
      contact: byId.get(row.contact_id),
      attempts: row.attempts,
      triedAt: row.tried_at,
      ...(repeated.has(row.contact_id) ? { isRepeated: true } : {}),
    }))
  })
}

/**
 * Contacts whose address was another contact's when it got the message of this sending. Two contacts never have one
 * address at a time, so only those have to be looked up who were changed since the sending began.
 */
async function findRepeated(
  tx: Transaction<Tables>,
  contacts: readonly ContactRow[],
  about: { sending: Pick<SendingRow, 'id' | 'created_at'>; storage: Storage },
): Promise<Set<number>> {
  const { sending, storage } = about
  const changedSince = ({ date_modified, date_added }: ContactRow) =>
    (date_modified ?? date_added) >= sending.created_at
  const byKey = new Map<string, number>()
  for (const contact of contacts)
    if (contact.email !== null && changedSince(contact)) byKey.set(fold(contact.email), contact.id)
  if (byKey.size === 0) return new Set()
  const sent = await tx
    .selectFrom('deliveries')
    .select(['recipient_key', 'contact_id'])
    .where('recipient_key', 'in', [...byKey.keys()])
    .where(sql<boolean>`${unindexed(storage.kind, 'sending_id')} = ${sending.id}`)
    .where('outcome', 'in', ['accepted', 'uncertain'])
    .execute()
  const repeated = sent.map((row) => ({ id: byKey.get(row.recipient_key), by: row.contact_id }))
  return new Set(repeated.flatMap(({ id, by }) => (id === undefined || id === by ? [] : [id])))
}

interface Due {
  contact_id: number
  attempts: number
  tried_at: number | null
}

/** Which of the recipients of one sending may be sent to; none, and `isStopped`, where it no longer runs. */
export interface Begun {
  isStopped: boolean
  contactIds: ReadonlySet<number>
}

/** A recipient whose message is about to leave. */
export interface Leaving {
  claim: Claim
  attempt: Attempt
}

/**
 * Writes down that the messages to these recipients are about to leave, and tells which may: those
 * that are still this process's own, of sendings that still run. One that was marked before, in a
 * transaction whose end was never heard of, is its own too.
 */
export async function begin(
  tx: Transaction<SendingTables>,
  leaving: readonly Leaving[],
  { storage: { kind }, processId }: ClaimContext,
): Promise<Map<number, Begun>> {
  const bySending = Map.groupBy(leaving, ({ claim }) => claim.sendingId)
  const begun = new Map<number, Begun>()
  for (const [sendingId, ofOne] of [...bySending].sort(([one], [other]) => one - other)) {
    // Whoever pauses or cancels it waits for the end of this transaction, and this one for him.
    const current = tx.selectFrom('sendings').select('status').where('id', '=', sendingId)
    const status = (await current.forKeyShare().executeTakeFirst())?.status
    if (status !== 'running') {
      begun.set(sendingId, { isStopped: true, contactIds: new Set() })
      continue
    }
    const ids = ofOne.map(({ claim }) => claim.contactId)
    const attempts = ofOne.map(
      ({ claim, attempt }) => [claim.contactId, writeAttempt(attempt)] as const,
    )
    const { rows } = await sql<{ contact_id: number }>`update sending_recipients
      set status = 'sending', attempt = ${givenText(kind, 'contact_id', attempts)}
      where email_id = ${ofOne[0]?.claim.emailId} and ${isAmong(kind, 'contact_id', ids)}
        and sending_id = ${sendingId} and ${unindexed(kind, 'claimed_by')} = ${processId}
        and status in ('claimed', 'sending')
      returning contact_id`.execute(tx)
    const contactIds = new Set(rows.map((row) => row.contact_id))
    begun.set(sendingId, { isStopped: false, contactIds })
  }
  return begun
}

/** Gives claims back of which nothing was sent; they are due at once, or then. */
export async function release(
  claims: readonly Claim[],
  { storage, processId, now }: ClaimContext,
  dueAt: number = now,
): Promise<void> {
  if (claims.length === 0) return
  await storage.transaction(async (tx: Transaction<SendingTables>) => {
    const bySending = Map.groupBy(claims, ({ sendingId }) => sendingId)
    for (const [sendingId, ofOne] of bySending) {
      const ids = ofOne.map(({ contactId }) => contactId)
      await sql`update sending_recipients
        set status = 'queued', claimed_by = null, due_at = ${dueAt}
        where email_id = ${ofOne[0]?.emailId} and ${isAmong(storage.kind, 'contact_id', ids)}
          and sending_id = ${sendingId} and ${unindexed(storage.kind, 'claimed_by')} = ${processId}
          and status in ('claimed', 'sending')`.execute(tx)
    }
    const nothing = { accepted: 0, refused: 0, uncertain: 0, dueAt }
    await changeCounts(tx, new Map([...bySending.keys()].map((id) => [id, nothing])), now)
  })
}

/** Gives back whatever this process has claimed and not begun, known to it or not. */
export async function releaseAll({ storage, processId, now }: ClaimContext): Promise<void> {
  await storage.transaction(async (tx: Transaction<SendingTables>) => {
    const { rows } = await sql<{ sending_id: number }>`update sending_recipients
      set status = 'queued', claimed_by = null
      where claimed_by = ${processId} and status = 'claimed' returning sending_id`.execute(tx)
    const nothing = { accepted: 0, refused: 0, uncertain: 0, dueAt: now }
    await changeCounts(tx, new Map(rows.map((row) => [row.sending_id, nothing])), now)
  })
}
