import type { ContactRow } from '../../contacts/index.ts'
import { emailKey } from '../../kit/email-key.ts'
import type { RelayedMessage } from '../message/index.ts'
import type { ContactLookup } from './contact-lookup.ts'

/** A message as some of its recipients get it. */
export interface Copy {
  readonly recipients: readonly string[]
  /** Whose message it is: of the recipient's own address; undefined where no contact is known. */
  readonly contact: ContactRow | undefined
  /** Why the contact that the message names is not the one; undefined where it is, or where there is none. */
  readonly ignored: string | undefined
}

/**
 * The copies of a message: one for all, with the contact that the message names, or with the recipient
 * where there is just one. Where there is something to render, each other recipient gets one of their own: a
 * contact's data goes to the contact's own address alone.
 */
export async function findCopies(
  message: Pick<RelayedMessage, 'head' | 'holdsTokens'>,
  recipients: readonly string[],
  contacts: ContactLookup,
): Promise<Copy[]> {
  const { contactId } = message.head
  const named = contactId === undefined ? undefined : await contacts.byId(contactId)
  const own = recipients.filter((address) => isAddressOf(named, address))
  const ignored = named === undefined || own.length > 0 ? undefined : whyIgnored(named)
  const isOne = recipients.length === 1 || !message.holdsTokens
  if (isOne && own.length > 0) return [{ recipients, contact: named, ignored }]
  if (isOne && recipients.length > 1) return [{ recipients, contact: undefined, ignored }]
  const copies: Copy[] = own.length > 0 ? [{ recipients: own, contact: named, ignored }] : []
  for (const recipient of recipients) {
    if (own.includes(recipient)) continue
    const contact = await contacts.byAddress(recipient)
    copies.push({ recipients: [recipient], contact, ignored })
  }
  return copies
}

function isAddressOf(contact: ContactRow | undefined, address: string): boolean {
  const email = contact?.email ?? null
  return email !== null && emailKey(email) === emailKey(address)
}

function whyIgnored({ id }: ContactRow): string {
  return `contact ${id} is ignored (X-Contact-Id): the message is not to the contact's own address`
}
