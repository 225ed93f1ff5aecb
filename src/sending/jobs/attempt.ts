import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult, Message } from '../../mailer/index.ts'
import { TwigError } from '../../twig/index.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import { memberText, replyText } from '../journal/reply-text.ts'
import type { Outlet } from '../outlets/outlets.ts'
import { composeEmail, isEmpty, renderedEmpty } from '../rendering/compose-email.ts'
import { contactDataOf, contactMailbox } from '../rendering/contact-data.ts'
import type { EmailRenderer } from '../rendering/email-renderer.ts'
import type { EncodeText } from '../rendering/line-encoder.ts'
import type { DeliveryRow } from '../table.ts'
import type { Claim } from './claims.ts'
import { createJobIdentity } from './job-identity.ts'
import type { Lane } from './lane.ts'
import type { Attempt } from './leaving-attempt.ts'
import type { JobOutcome } from './outcomes.ts'
import { nextAttemptAt } from './retry-policy.ts'
import type { SendingState } from './sending-store.ts'

/** What attempts are made with. */
export interface AttemptParts {
  clock: Clock
  processId: string
  /** From 0 up to but without 1. */
  random: () => number
}

/** The way out for the contacts of one owner. */
export interface Exit {
  outlet: Outlet
  lane: Lane
  /** JSON: how it was found. */
  trace: string
}

/** A message that is ready to leave for one recipient. */
export interface ReadyMessage {
  claim: Claim
  exit: Exit
  message: Message
  messageId: string
  sending: SendingState
}

/** What is written down of a message before it leaves. */
export function attemptOf(
  { exit, message, messageId }: Pick<ReadyMessage, 'exit' | 'message' | 'messageId'>,
  startedAt: number,
): Attempt {
  return {
    started_at: startedAt,
    sender: message.envelope.from,
    recipient: message.envelope.to[0] ?? '',
    transport_id: exit.outlet.transportId,
    transport: exit.outlet.name,
    message_id: messageId,
    trace: exit.trace,
  }
}

/** Why a message could not be made: for its recipient, or, as far as one can tell, for any. */
export interface Unrenderable {
  claim: Claim
  reason: string
  /** Whether it is the email's fault, and may well meet everybody. */
  isOfEmail: boolean
}

/** Renders the email for one recipient. */
export function renderMessage(
  { sending, claim, exit }: { sending: SendingState; claim: Claim; exit: Exit },
  { renderer, encode, clock }: { renderer: EmailRenderer; encode: EncodeText; clock: Clock },
): ReadyMessage | Unrenderable {
  const { contact } = claim
  if (contact === undefined) return unfit(claim, 'The contact was deleted.')
  if (contact.email === null) return unfit(claim, 'The contact has no email address any more.')
  if (!contact.is_published) return unfit(claim, 'The contact is not published any more.')
  if (claim.isRepeated === true)
    return unfit(claim, 'This address has the message already: it was sent to another contact.')
  const data = contactDataOf(contact)
  try {
    const email = renderer.render(data, contactMailbox(data))
    if (isEmpty(email)) return { claim, reason: renderedEmpty, isOfEmail: true }
    const { id: sendingId, message_seed: seed } = sending
    const recipient = { seed, sendingId, contactId: claim.contactId, sender: email.from.address }
    const identity = createJobIdentity(recipient, clock)
    const message = composeEmail(email, identity, encode)
    return { claim, exit, message, messageId: identity.messageId, sending }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    const reason = `The email cannot be rendered: ${error.message}`
    return { claim, reason, isOfEmail: true }
  }
}

function unfit(claim: Claim, reason: string): Unrenderable {
  return { claim, reason, isOfEmail: false }
}

/** The outcome for a recipient to whom no message can be made: refused, for good. */
export function refuseUnrenderable(
  { claim, reason }: Unrenderable,
  sending: SendingState,
  parts: AttemptParts,
): JobOutcome {
  const now = parts.clock.now()
  const delivery = {
    ...beginDelivery(claim, sending, { startedAt: now, processId: parts.processId }),
    outcome: 'refused' as const,
    is_permanent: true,
    reason,
  }
  return { ...idsOf(claim), status: 'refused', dueAt: now, delivery }
}

/** What a transport's word means for the recipient: done with, or to be tried again later. */
export function judgeResult(
  ready: ReadyMessage,
  { result, startedAt }: { result: DeliveryResult; startedAt: number },
  parts: AttemptParts,
): JobOutcome {
  const { claim, sending } = ready
  const delivery: Omit<DeliveryRow, 'id'> = {
    ...beginDelivery(claim, sending, { startedAt, processId: parts.processId }),
    ...attemptOf(ready, startedAt),
    member: memberText(result),
    duration_ms: Math.round(result.durationMs),
    outcome: result.outcome,
    is_permanent: result.isPermanent,
    reply: replyText(result),
    reason: result.outcome === 'accepted' ? null : (result.fault?.message ?? null),
    provider_id: result.messageId,
  }
  const settled = { ...idsOf(claim), status: result.outcome, dueAt: startedAt, delivery }
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

function idsOf({ sendingId, emailId, contactId }: Claim) {
  return { sendingId, emailId, contactId }
}

function beginDelivery(
  { contactId, contact }: Claim,
  sending: SendingState,
  { startedAt, processId }: { startedAt: number; processId: string },
): Omit<DeliveryRow, 'id'> {
  const begun = { source: 'job' as const, caller: sending.caller, startedAt, processId }
  return {
    ...emptyDelivery(begun),
    email_id: sending.email_id,
    contact_id: contactId,
    sending_id: sending.id,
    recipient: contact?.email ?? '',
  }
}
