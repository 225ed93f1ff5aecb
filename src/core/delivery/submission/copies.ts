import { sql } from 'kysely'
import { type CallerMautic, mayUse, noBrand } from '../../../kit/caller.ts'
import { type MaybePromise, mapMaybe } from '../../../kit/maybe-promise.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { seenBy } from '../../../platform/resource/index.ts'
import { createLookUp, type Storage } from '../../../platform/storage/index.ts'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { type ContactData, type EmailTables, openReadContact } from '../../emails/index.ts'
import type { MauticContact } from '../../mautic/index.ts'
import type { IdentifyMessage, MessageIdentity } from '../../routing/index.ts'
import type { Submission } from './submission.ts'

/** The contact of a message. */
export interface CopyContact {
  readonly id: number
  readonly email: string | null
  /** What templates show of it. */
  readonly data: () => MaybePromise<ContactData>
}

/** Some recipients of a message, who get the same content. */
interface CopyRecipients {
  readonly recipients: readonly string[]
  /** The contact whose address is the recipient; undefined if there is none. */
  readonly contact?: CopyContact | undefined
  /** Why the contact that the message names is ignored; undefined if it is not, or if it names none. */
  readonly ignored?: string | undefined
}

/** The email, the contact and the owner of a message, and the Mautic whose ids these are. */
export interface SubmissionIdentity extends Omit<MessageIdentity, 'contact'> {
  /** Undefined for ids of Mailyard itself. */
  mautic: CallerMautic | undefined
}

/** A message for some of its recipients, and what is known of it. */
export interface Copy extends CopyRecipients {
  readonly submission: Submission
  readonly identity: SubmissionIdentity
  /** That of the submitter, else of the email; null where the transport decides. */
  readonly brand: number | null
}

/**
 * Identifies a message, and splits it into copies. Without tokens it has one copy for all recipients. With tokens the contact that
 * the message names gets one copy, and each other recipient their own: a contact's data is sent to its own address only.
 */
export async function findCopies(
  submission: Submission,
  identify: IdentifyMessage,
  own: OwnLookups,
): Promise<Copy[]> {
  const { recipients, rendered, message } = submission
  const { mautic, brand } = submission.submitter
  if (mautic !== undefined) {
    const { contact, ...found } = await identify({ mautic, submission, message })
    const identity = { ...found, mautic }
    const parts = await divide(submission, found.contactId, mauticContactLookup(contact))
    return parts.map((part) => ({ ...part, submission, identity, brand }))
  }
  const { emailId, contactId, ownerId } = message.head
  const identity = { mautic, emailId, contactId, ownerId, unanswered: undefined, notes: [] }
  const common = { submission, identity, brand: brand ?? (await own.brandOfEmail(emailId)) }
  if (rendered !== undefined) return [{ recipients, ...common }]
  const parts = await divide(submission, contactId, own.contactsOf(common.brand))
  return parts.map((part) => ({ ...part, ...common }))
}

async function divide(
  { recipients, message }: Submission,
  contactId: number | undefined,
  contacts: ContactLookup,
): Promise<CopyRecipients[]> {
  const named = contactId === undefined ? undefined : await contacts.byId(contactId)
  const own = recipients.filter((address) => isAddressOf(named, address))
  const ignored = named === undefined || own.length > 0 ? undefined : whyIgnored(named)
  const isOne = recipients.length === 1 || !message.holdsTokens
  if (isOne && own.length > 0) return [{ recipients, contact: named, ignored }]
  if (isOne && recipients.length > 1) return [{ recipients, ignored }]
  const copies: CopyRecipients[] =
    own.length > 0 ? [{ recipients: own, contact: named, ignored }] : []
  for (const recipient of recipients) {
    if (own.includes(recipient)) continue
    const contact = await contacts.byAddress(recipient)
    copies.push({ recipients: [recipient], contact, ignored })
  }
  return copies
}

function isAddressOf(contact: CopyContact | undefined, address: string): boolean {
  const email = contact?.email ?? null
  return email !== null && emailKey(email) === emailKey(address)
}

function whyIgnored({ id }: CopyContact): string {
  return `contact ${id} is ignored (X-Contact-Id): the message is not to the contact's own address`
}

/** Finds the contact of a message. */
interface ContactLookup {
  byId(id: number): MaybePromise<CopyContact | undefined>
  byAddress(address: string): MaybePromise<CopyContact | undefined>
}

/** Finds what a message names by ids of Mailyard itself. */
export interface OwnLookups {
  /** Null where there is no such email, or where it has no brand. */
  brandOfEmail(id: number | undefined): MaybePromise<number | null>
  /** Finds the contacts that a message of a brand may be about: the brand's own, then those of none. */
  contactsOf(brand: number | null): ContactLookup
}

export function openOwnLookups(storage: Storage): OwnLookups {
  const db = storage.tables<ContactTables & EmailTables>()
  const readContact = openReadContact(storage)
  const select = () => db.selectFrom('contacts').selectAll()
  const byId = createLookUp(storage, ({ id }: { id: number }) => select().where('id', '=', id))
  const byKey = createLookUp(storage, ({ key, brand }: { key: string; brand: number }) =>
    select()
      .where('email_key', '=', key)
      .where(seenBy({ brands: [brand] }))
      .orderBy('brand_id', 'desc')
      .limit(sql.lit(1)),
  )
  const email = createLookUp(storage, ({ id }: { id: number }) =>
    db.selectFrom('emails').select('brand_id').where('id', '=', id),
  )
  const contactOf = (row: ContactRow | undefined): CopyContact | undefined =>
    row && { id: row.id, email: row.email, data: () => readContact(row) }
  return {
    brandOfEmail: (id) =>
      id === undefined ? null : mapMaybe(email({ id }), (row) => row?.brand_id || null),
    contactsOf: (brand) => ({
      byId: (id) =>
        mapMaybe(byId({ id }), (row) => contactOf(row && mayUse(row, brand) ? row : undefined)),
      byAddress: (address) =>
        mapMaybe(byKey({ key: emailKey(address), brand: brand ?? noBrand }), contactOf),
    }),
  }
}

/** Finds the identified contact of a message that comes from a Mautic, and no other. */
function mauticContactLookup(contact: MauticContact | undefined): ContactLookup {
  const own = contact && { id: contact.id, email: contact.email, data: () => contact.data }
  return { byId: () => own, byAddress: () => undefined }
}
