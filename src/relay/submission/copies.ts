import type { ContactRow } from '../../contacts/index.ts'
import type { RelayedMessage } from '../message/index.ts'
import type { ContactLookup } from './contact-lookup.ts'

/** A message as some of its recipients get it. */
export interface Copy {
  readonly recipients: readonly string[]
  /** Whom it is about; undefined where nobody is known. */
  readonly contact: ContactRow | undefined
}

/**
 * The copies of a message: one for all, about the contact that the message names, or about the recipient
 * where there is just one. Several recipients whom no contact stands for get one each if there is
 * something to render, since it differs then.
 */
export async function findCopies(
  message: Pick<RelayedMessage, 'head' | 'holdsTokens'>,
  recipients: readonly string[],
  contacts: ContactLookup,
): Promise<Copy[]> {
  const { contactId } = message.head
  const named = contactId === undefined ? undefined : await contacts.byId(contactId)
  if (named !== undefined) return [{ recipients, contact: named }]
  if (recipients.length > 1 && !message.holdsTokens) return [{ recipients, contact: undefined }]
  const copies: Copy[] = []
  for (const recipient of recipients) {
    copies.push({ recipients: [recipient], contact: await contacts.byAddress(recipient) })
  }
  return copies
}
