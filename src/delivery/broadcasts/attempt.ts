import { hash } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { Permit } from '../../limits/index.ts'
import type { DeliveryResult, Message } from '../../mailer/index.ts'
import { TwigError } from '../../twig/index.ts'
import type { Links } from '../links/links.ts'
import { addUnsubscribeHeaders } from '../links/unsubscribe-headers.ts'
import { emptyDelivery, memberText, replyText } from '../log/delivery-row.ts'
import { limitedBy } from '../open-limited.ts'
import {
  composeEmail,
  isEmpty,
  type MessageIdentity,
  renderedEmpty,
} from '../rendering/compose-email.ts'
import { contactDataOf, contactMailbox } from '../rendering/contact-data.ts'
import type { EmailRenderer } from '../rendering/email-renderer.ts'
import { linkValues } from '../rendering/link-tokens.ts'
import type { EncodeText } from '../rendering/quoted-printable.ts'
import { bouncedAddresses } from '../suppressed/bounces.ts'
import type { DeliveryRow } from '../table.ts'
import type { OpenTransport } from '../transport-pool.ts'
import type { BroadcastState } from './broadcast-store.ts'
import type { Claim } from './claims.ts'
import type { AttemptOutcome } from './outcomes.ts'
import type { Attempt } from './table.ts'
import type { TransportThrottle } from './transport-throttle.ts'

export interface AttemptParts {
  clock: Clock
  processId: string
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
}

/** The open transport for the contacts of one owner. */
export interface OwnerTransport {
  openTransport: OpenTransport
  throttle: TransportThrottle
  /** JSON: how the route was chosen. */
  trace: string
}

/** A rendered message for one recipient. */
export interface ReadyMessage {
  claim: Claim
  through: OwnerTransport
  message: Message
  messageId: string
  broadcast: BroadcastState
}

/** A message that may be sent now. */
export interface PermittedMessage extends ReadyMessage {
  permit: Permit
}

/** Gives back what was reserved for a message that is not sent. */
export function withdraw({ through, permit }: Pick<PermittedMessage, 'through' | 'permit'>): void {
  through.throttle.release()
  permit.release()
}

/** Sends a message within the limits of its transport. */
export async function sendPermitted(
  { through, message, permit }: PermittedMessage,
  { signal, isLeaseValid }: { signal: AbortSignal; isLeaseValid: () => boolean },
): Promise<DeliveryResult> {
  try {
    const checks = limitedBy(permit, isLeaseValid)
    return await through.openTransport.send(message, { source: 'broadcast', signal, ...checks })
  } finally {
    permit.release()
  }
}

/** Returns what is stored with the recipient before the message is sent. */
export function attemptOf(
  { through, message, messageId }: Pick<ReadyMessage, 'through' | 'message' | 'messageId'>,
  startedAt: number,
): Attempt {
  return {
    started_at: startedAt,
    sender: message.envelope.from,
    recipient: message.envelope.to[0] ?? '',
    transport_id: through.openTransport.transportId,
    transport: through.openTransport.name,
    message_id: messageId,
    trace: through.trace,
  }
}

/** Why no message was created: because of the recipient, or because of the email. */
export interface Unrenderable {
  claim: Claim
  reason: string
  /** Whether the email caused it, so that it may affect all recipients. */
  isOfEmail: boolean
}

/** Renders the email for one recipient. */
export function renderMessage(
  { broadcast, claim, through }: Pick<ReadyMessage, 'broadcast' | 'claim' | 'through'>,
  {
    renderer,
    encode,
    clock,
    links,
  }: Pick<AttemptParts, 'clock' | 'links'> & {
    renderer: EmailRenderer
    encode: EncodeText
  },
): ReadyMessage | Unrenderable {
  const { contact } = claim
  if (contact === undefined) return undeliverable(claim, 'The contact was deleted.')
  if (contact.email === null)
    return undeliverable(claim, 'The contact has no email address any more.')
  if (!contact.is_published) return undeliverable(claim, 'The contact is not published any more.')
  if (claim.isRepeatedAddress === true)
    return undeliverable(
      claim,
      'The message was already sent to this address, for another contact.',
    )
  const data = contactDataOf(contact)
  try {
    const { id: broadcastId, message_seed: seed } = broadcast
    const own = links?.of({ ...idsOf(claim), address: contact.email, from: renderer.from })
    const rendered = renderer.render(data, contactMailbox(data), linkValues(own))
    if (isEmpty(rendered)) return { claim, reason: renderedEmpty, isOfEmail: true }
    const isOneClick = links?.isOneClick === true
    const email = addUnsubscribeHeaders(rendered, own, { isOneClick })
    const recipient = { seed, broadcastId, contactId: claim.contactId, sender: email.from.address }
    const identity = createRecipientIdentity(recipient, clock)
    const message = composeEmail(email, identity, encode)
    return { claim, through, message, messageId: identity.messageId, broadcast }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    const reason = `The email cannot be rendered: ${error.message}`
    return { claim, reason, isOfEmail: true }
  }
}

function undeliverable(claim: Claim, reason: string): Unrenderable {
  return { claim, reason, isOfEmail: false }
}

/** Returns the outcome for a recipient without a message: refused permanently. */
export function refuseUnrenderable(
  { claim, reason }: Unrenderable,
  broadcast: BroadcastState,
  parts: AttemptParts,
): AttemptOutcome {
  const now = parts.clock.now()
  const delivery = {
    ...startedDelivery(claim, broadcast, { startedAt: now, processId: parts.processId }),
    outcome: 'refused' as const,
    is_permanent: true,
    reason,
  }
  return { ...idsOf(claim), status: 'refused', dueAt: now, delivery }
}

/** Returns the outcome for a recipient whose address is suppressed. */
export function withheldOutcome(
  { claim, reason }: Pick<Unrenderable, 'claim' | 'reason'>,
  { broadcast, from }: { broadcast: BroadcastState; from: string },
  parts: AttemptParts,
): AttemptOutcome {
  const now = parts.clock.now()
  const delivery = {
    ...startedDelivery(claim, broadcast, { startedAt: now, processId: parts.processId }),
    sender: from,
    duration_ms: 0,
    outcome: 'suppressed' as const,
    is_permanent: true,
    reason,
  }
  return { ...idsOf(claim), status: 'suppressed', dueAt: now, delivery }
}

/** Returns the outcome of a sent message: final, or queued for another try after a temporary refusal. */
export function outcomeOf(
  ready: ReadyMessage,
  { result, startedAt }: { result: DeliveryResult; startedAt: number },
  parts: AttemptParts,
): AttemptOutcome {
  const { claim, broadcast } = ready
  const delivery: Omit<DeliveryRow, 'id'> = {
    ...startedDelivery(claim, broadcast, { startedAt, processId: parts.processId }),
    ...attemptOf(ready, startedAt),
    member: memberText(result),
    duration_ms: Math.round(result.durationMs),
    outcome: result.outcome,
    is_permanent: result.isPermanent,
    reply: replyText(result),
    reason: result.outcome === 'accepted' ? null : (result.fault?.message ?? null),
    provider_id: result.messageId,
  }
  const isBounce = bouncedAddresses(result).length > 0
  const settled = { ...idsOf(claim), status: result.outcome, dueAt: startedAt, delivery, isBounce }
  if (result.outcome !== 'refused' || result.isPermanent) return settled
  const dueAt = nextAttemptAt({
    attempts: claim.attempts,
    since: claim.triedAt ?? startedAt,
    now: parts.clock.now(),
    retryAfterMs: result.retryAfterMs,
    random: parts.random(),
  })
  return dueAt === undefined ? settled : { ...settled, status: 'queued', dueAt }
}

function idsOf({ broadcastId, emailId, contactId }: Claim) {
  return { broadcastId, emailId, contactId }
}

function startedDelivery(
  { contactId, contact }: Claim,
  broadcast: BroadcastState,
  { startedAt, processId }: { startedAt: number; processId: string },
): Omit<DeliveryRow, 'id'> {
  const started = { source: 'broadcast' as const, caller: broadcast.caller, startedAt, processId }
  return {
    ...emptyDelivery(started),
    email_id: broadcast.email_id,
    contact_id: contactId,
    broadcast_id: broadcast.id,
    recipient: contact?.email ?? '',
  }
}

/**
 * Creates the Message-ID and boundary of the message to one recipient of a broadcast. They are the same at each try: a
 * recipient who gets it twice can recognize it, and another process can list it after this one has expired.
 */
export function createRecipientIdentity(
  recipient: { seed: string; broadcastId: number; contactId: number; sender: string },
  clock: Clock,
): MessageIdentity {
  const { seed, broadcastId, contactId, sender } = recipient
  const domain = sender.slice(sender.lastIndexOf('@') + 1) || 'localhost'
  const id = hash('sha256', `${seed} ${broadcastId} ${contactId}`, 'hex').slice(0, 40)
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}

/** How long a message is retried after the first try. */
const giveUpAfterMs = 72 * 3_600_000
const firstWaitMs = 30_000
const longestWaitMs = 3_600_000

/**
 * Returns when to retry: the back-off doubles up to an hour, with jitter, and is at least what the server asked for.
 * Undefined once the message was retried for 72 hours.
 */
export function nextAttemptAt(history: {
  attempts: number
  /** The time of the first try. */
  since: number
  now: number
  /** What the server asked for, or null. */
  retryAfterMs: number | null
  /** From 0 to 1, exclusive: it spreads the retries. */
  random: number
}): number | undefined {
  const { attempts, since, now, retryAfterMs, random } = history
  const backoffMs = Math.min(firstWaitMs * 2 ** Math.min(attempts, 20), longestWaitMs)
  const jitteredMs = backoffMs * (0.5 + random)
  const at = now + Math.max(jitteredMs, retryAfterMs ?? 0)
  return at - since > giveUpAfterMs ? undefined : Math.round(at)
}
