import type { Caller } from '../../kit/caller.ts'
import { seenBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type ContactTables, fieldValuesOf } from '../contacts/index.ts'
import type { DeliveryRow } from '../delivery/index.ts'
import type { EmailTables } from '../emails/index.ts'

/** A contact, by the name that people know; its address where it has none. */
export interface NamedContact {
  id: number
  name: string
}

/** What a delivery led to and can lead to. */
export interface DeliveryLinks {
  /** Undefined where the message is not of a contact of Mailyard, or the contact was deleted. */
  contact: NamedContact | undefined
  /** The message in the inbox that `inbox://local` captured. */
  inboxId: number | undefined
  /** Why the same email cannot be sent to the contact again; undefined where it can. */
  sendAgainProblem: string | undefined
}

/** Whether the inbox still has a message. */
export type HasCaptured = (id: number) => Promise<boolean>

type Tables = ContactTables & EmailTables

/** Finds the contact, the captured message, and whether the email can be sent again, of a delivery, as the reader sees them. */
export async function findLinks(
  storage: Storage,
  row: DeliveryRow,
  { hasCaptured, reader }: { hasCaptured: HasCaptured; reader: Caller },
): Promise<DeliveryLinks> {
  const contact = await findContact(storage, row, reader)
  const capturedId = capturedIdOf(row)
  const isKept = capturedId !== undefined && (await hasCaptured(capturedId))
  return {
    contact: contact && { id: contact.id, name: contact.name },
    inboxId: isKept ? capturedId : undefined,
    sendAgainProblem: await findSendAgainProblem(storage, row, { contact, reader }),
  }
}

/** Finds the contact of Mailyard that a message was for. */
export async function findContact(
  storage: Storage,
  { mautic_id, contact_id }: Pick<DeliveryRow, 'mautic_id' | 'contact_id'>,
  reader: Caller,
): Promise<(NamedContact & { email: string | null }) | undefined> {
  if (mautic_id !== 0 || contact_id === null) return undefined
  const contact = await storage
    .tables<Tables>()
    .selectFrom('contacts')
    .select(['id', 'email', 'points', 'field_values'])
    .where('id', '=', contact_id)
    .where(seenBy(reader))
    .executeTakeFirst()
  if (contact === undefined) return undefined
  const { firstname, lastname } = fieldValuesOf(contact)
  const name = [firstname, lastname].filter((part) => typeof part === 'string').join(' ')
  return { id: contact.id, name: name || (contact.email ?? `${contact.id}`), email: contact.email }
}

/** Returns the id that the inbox gave to a message that it captured. */
function capturedIdOf({ member, provider_id: id }: DeliveryRow): number | undefined {
  const isCaptured = member?.startsWith('inbox://') === true && /^\d{1,15}$/.test(id ?? '')
  return isCaptured ? Number(id) : undefined
}

async function findSendAgainProblem(
  storage: Storage,
  { source, email_id: emailId, contact_id: contactId, mautic_id: mauticId }: DeliveryRow,
  { contact, reader }: { contact: { email: string | null } | undefined; reader: Caller },
): Promise<string | undefined> {
  if (source === 'smtp' || mauticId !== 0)
    return 'It was submitted over SMTP. Send it again where it came from: Mailyard keeps no copy.'
  if (emailId === null) return 'It was a test of something that is not stored.'
  if (contactId === null) return 'It was a test: it was for no contact.'
  if (contact === undefined) return 'The contact was deleted.'
  if (contact.email === null) return 'The contact has no email address any more.'
  const query = storage.tables<Tables>().selectFrom('emails').select('is_published')
  const email = await query.where('id', '=', emailId).where(seenBy(reader)).executeTakeFirst()
  if (email === undefined) return 'The email was deleted.'
  return email.is_published ? undefined : 'The email is not published.'
}
