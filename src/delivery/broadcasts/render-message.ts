import { hash } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { Message } from '../../mailer/index.ts'
import type { EmailRenderer, EncodeText, Links } from '../../messages/index.ts'
import {
  addUnsubscribeHeaders,
  composeEmail,
  contactDataOf,
  contactMailbox,
  isEmpty,
  linkValues,
  type MimeIdentity,
  renderedEmpty,
} from '../../messages/index.ts'
import { TwigError } from '../../twig/index.ts'
import type { BroadcastState } from './broadcast-store.ts'
import type { Claim } from './claims.ts'

/** The message of a broadcast to one recipient. */
export interface RenderedMessage {
  claim: Claim
  message: Message
  messageId: string
}

/** Why no message was created: because of the recipient, or because of the email. */
export interface Unrenderable {
  claim: Claim
  reason: string
  /** Whether the email caused it, so that it may affect all recipients. */
  isOfEmail: boolean
}

export interface RenderMessageOptions {
  broadcast: Pick<BroadcastState, 'id' | 'message_seed'>
  renderer: EmailRenderer
  encode: EncodeText
  clock: Clock
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
}

/** Renders the email for one recipient. */
export function renderMessage(
  claim: Claim,
  { broadcast, renderer, encode, clock, links }: RenderMessageOptions,
): RenderedMessage | Unrenderable {
  const { contact, owner, broadcastId, emailId, contactId } = claim
  if (contact === undefined) return undeliverable(claim, 'The contact was deleted.')
  if (contact.email === null)
    return undeliverable(claim, 'The contact has no email address any more.')
  if (!contact.is_published) return undeliverable(claim, 'The contact is not published any more.')
  if (claim.isRepeatedAddress === true)
    return undeliverable(
      claim,
      'The message was already sent to this address, for another contact.',
    )
  const data = contactDataOf(contact, owner)
  try {
    const ids = { broadcastId, emailId, contactId }
    const own = links?.of({ ...ids, address: contact.email, from: renderer.from })
    const rendered = renderer.render(data, contactMailbox(data), linkValues(own))
    if (isEmpty(rendered)) return { claim, reason: renderedEmpty, isOfEmail: true }
    const isOneClick = links?.isOneClick === true
    const email = addUnsubscribeHeaders(rendered, own, { isOneClick })
    const { message_seed: seed } = broadcast
    const recipient = { seed, broadcastId, contactId, sender: email.from.address }
    const identity = createRecipientIdentity(recipient, clock)
    const message = composeEmail(email, identity, encode)
    return { claim, message, messageId: identity.messageId }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    const reason = `The email cannot be rendered: ${error.message}`
    return { claim, reason, isOfEmail: true }
  }
}

function undeliverable(claim: Claim, reason: string): Unrenderable {
  return { claim, reason, isOfEmail: false }
}

/**
 * Creates the Message-ID and boundary of the message to one recipient of a broadcast. They are the same at each try: a
 * recipient who gets it twice can recognize it.
 */
function createRecipientIdentity(
  recipient: { seed: string; broadcastId: number; contactId: number; sender: string },
  clock: Clock,
): MimeIdentity {
  const { seed, broadcastId, contactId, sender } = recipient
  const domain = sender.slice(sender.lastIndexOf('@') + 1) || 'localhost'
  const id = hash('sha256', `${seed} ${broadcastId} ${contactId}`, 'hex').slice(0, 40)
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}
