import type { CallerMautic } from '../../../kit/caller.ts'
import { type MaybePromise, mapMaybe } from '../../../kit/maybe-promise.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../../../platform/storage/index.ts'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { type ContactData, openReadContact } from '../../emails/index.ts'
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
}

/**
 * Identifies a message, and splits it into copies. Without tokens it has one copy for all recipients. With tokens the contact that
 * the message names gets one copy, and each other recipient their own: a contact's data is sent to its own address only.
 */
export async function findCopies(
  submission: Submission,
  identify: IdentifyMessage,
  ownContacts: ContactLookup,
): Promise<Copy[]> {
  const { recipients, rendered, message } = submission
  const { mautic } = submission.submitter
  if (mautic !== undefined) {
    const { contact, ...found } = await identify({ mautic, submission, message })
    const identity = { ...found, mautic }
    const parts = await divide(submission, found.contactId, mauticContactLookup(contact))
    return parts.map((part) => ({ ...part, submission, identity }))
  }
  const { emailId, contactId, ownerId } = message.head
  const identity = { mautic, emailId, contactId, ownerId, unanswered: undefined, notes: [] }
  if (rendered !== undefined) return [{ recipients, submission, identity }]
  const parts = await divide(submission, contactId, ownContacts)
  return parts.map((part) => ({ ...part, submission, identity }))
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
export interface ContactLookup {
  byId(id: number): MaybePromise<CopyContact | undefined>
  byAddress(address: string): MaybePromise<CopyContact | undefined>
}

export function openContactLookup(storage: Storage): ContactLookup {
  const db = storage.tables<ContactTables>()
  const readContact = openReadContact(storage)
  const select = () => db.selectFrom('contacts').selectAll()
  const byId = createLookUp(storage, ({ id }: { id: number }) => select().where('id', '=', id))
  const byKey = createLookUp(storage, ({ key }: { key: string }) =>
    select().where('email_key', '=', key),
  )
  const contactOf = (row: ContactRow | undefined): CopyContact | undefined =>
    row && { id: row.id, email: row.email, data: () => readContact(row) }
  return {
    byId: (id) => mapMaybe(byId({ id }), contactOf),
    byAddress: (address) => mapMaybe(byKey({ key: emailKey(address) }), contactOf),
  }
}

/** Finds the identified contact of a message that comes from a Mautic, and no other. */
function mauticContactLookup(contact: MauticContact | undefined): ContactLookup {
  const own = contact && { id: contact.id, email: contact.email, data: () => contact.data }
  return { byId: () => own, byAddress: () => undefined }
}
