import { hash } from 'node:crypto'
import type { ContactRow } from '../contacts/index.ts'
import type { ComposedMessage } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { EmailRenderer, EncodeText, Links, OwnerData } from '../messages/index.ts'
import {
  addUnsubscribeHeaders,
  composeEmail,
  contactDataOf,
  contactMailbox,
  isEmpty,
  linkValues,
  type MimeIdentity,
  renderedEmpty,
  storedSubject,
} from '../messages/index.ts'
import { TwigError } from '../twig/index.ts'

/** A contact of a broadcast as it is now, and its owner; undefined if they were deleted. */
export interface Subject {
  contact: ContactRow | undefined
  owner: OwnerData | undefined
  /** Whether another contact got the message of this broadcast at the address that this contact has now. */
  isRepeatedAddress: boolean
}

/** Why no message was created: because of the recipient, or because of the email. */
export interface Unrenderable {
  reason: string
  /** Whether the email caused it, so that it may affect all recipients. */
  isOfEmail: boolean
  /** The outcome of the recipient. */
  outcome: 'refused' | 'cancelled'
}

export interface RenderMessageOptions {
  broadcastId: number
  emailId: number
  contactId: number
  identity: MimeIdentity
  renderer: EmailRenderer
  encode: EncodeText
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
}

/** Renders the email for one recipient. */
export function renderMessage(
  { contact, owner, isRepeatedAddress }: Subject,
  options: RenderMessageOptions,
): ComposedMessage | Unrenderable {
  const { broadcastId, emailId, contactId, identity, renderer, encode, links } = options
  // Who deleted the contact has cancelled its message.
  if (contact === undefined)
    return { reason: 'The contact was deleted.', isOfEmail: false, outcome: 'cancelled' }
  if (contact.email === null) return undeliverable('The contact has no email address any more.')
  if (!contact.is_published) return undeliverable('The contact is not published any more.')
  if (isRepeatedAddress)
    return undeliverable('The message was already sent to this address, for another contact.')
  const data = contactDataOf(contact, owner)
  try {
    const recipient = { broadcastId, emailId, contactId, address: contact.email }
    const contactLinks = links?.of({ ...recipient, from: renderer.from })
    const rendered = renderer.render(data, contactMailbox(data), linkValues(contactLinks))
    if (isEmpty(rendered)) return unrenderable(renderedEmpty)
    const isOneClick = links?.isOneClick === true
    const email = addUnsubscribeHeaders(rendered, contactLinks, { isOneClick })
    const { raw } = composeEmail(email, identity, encode)
    return { raw, subject: storedSubject(rendered.subject) }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    return unrenderable(`The email cannot be rendered: ${error.message}`)
  }
}

function undeliverable(reason: string): Unrenderable {
  return { reason, isOfEmail: false, outcome: 'refused' }
}

function unrenderable(reason: string): Unrenderable {
  return { reason, isOfEmail: true, outcome: 'refused' }
}

/**
 * Creates the Message-ID and boundary of the message to one recipient of a broadcast. They are the same at each try: a
 * recipient who gets it twice can recognize it.
 */
export function createRecipientIdentity(
  recipient: { seed: string; broadcastId: number; contactId: number; sender: string },
  clock: Clock,
): MimeIdentity {
  const { seed, broadcastId, contactId, sender } = recipient
  const domain = sender.slice(sender.lastIndexOf('@') + 1) || 'localhost'
  const id = hash('sha256', `${seed} ${broadcastId} ${contactId}`, 'hex').slice(0, 40)
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}
