import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import { TwigError } from '../../twig/index.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import { replyText } from '../journal/reply-text.ts'
import type { Outlet, Outlets } from '../outlets/outlets.ts'
import { composeEmail } from '../rendering/compose-email.ts'
import { contactDataOf, contactMailbox } from '../rendering/contact-data.ts'
import type { EmailRenderer } from '../rendering/email-renderer.ts'
import { createIdentity } from '../rendering/message-identity.ts'
import type { DeliveryRow } from '../table.ts'
import type { Way } from '../way/way.ts'
import type { Attempt, Claimed } from './job-store.ts'
import { nextAttemptAt } from './retry-policy.ts'
import type { SendingRow } from './table.ts'

/** What attempts are made with. */
export interface AttemptParts {
  outlets: Outlets
  clock: Clock
  processId: string
  /** From 0 up to but without 1. */
  random: () => number
}

/** One contact's turn. */
export interface Turn {
  sending: SendingRow
  claimed: Claimed
  renderer: EmailRenderer
  way: Way
}

/** What an attempt came to, and whether it was a fault of the transport. */
export interface AttemptMade {
  attempt: Attempt
  /** Until when the transport is of no use; undefined where it is not its fault. */
  outUntil: number | undefined
}

/** Renders and sends one contact's email. It throws, for a lost database, only before anything was sent. */
export async function makeAttempt(turn: Turn, parts: AttemptParts): Promise<AttemptMade> {
  const { sending, claimed, way } = turn
  const startedAt = parts.clock.now()
  const begun = {
    source: 'job' as const,
    caller: sending.caller,
    startedAt,
    processId: parts.processId,
  }
  const delivery: Omit<DeliveryRow, 'id'> = {
    ...emptyDelivery(begun),
    email_id: sending.email_id,
    contact_id: claimed.contact.id,
    sending_id: sending.id,
    recipient: claimed.contact.email ?? '',
    trace: JSON.stringify(way.trace),
  }
  const outlet = await parts.outlets.open(way)
  if ('problem' in outlet) {
    const attempt = postpone(turn, parts, { ...delivery, reason: outlet.problem })
    return { attempt, outUntil: undefined }
  }
  const rendered = render(turn, parts.clock)
  if (typeof rendered === 'string') {
    const refused = {
      ...delivery,
      outcome: 'refused' as const,
      is_permanent: true,
      reason: rendered,
    }
    return { attempt: settle(turn, refused, 'refused'), outUntil: undefined }
  }
  const result = await outlet.send(rendered.message)
  return judge(turn, parts, {
    delivery: { ...delivery, ...sentColumns(outlet, rendered, result) },
    result,
  })
}

function render({ claimed, renderer }: Turn, clock: Clock) {
  const data = contactDataOf(claimed.contact)
  try {
    const email = renderer.render(data, contactMailbox(data))
    const identity = createIdentity(email.from.address, clock)
    return { message: composeEmail(email, identity), messageId: identity.messageId }
  } catch (error) {
    if (error instanceof TwigError) return `The email cannot be rendered: ${error.message}`
    throw error
  }
}

function sentColumns(
  { transportId, name }: Outlet,
  { message, messageId }: Exclude<ReturnType<typeof render>, string>,
  result: DeliveryResult,
) {
  return {
    sender: message.envelope.from,
    transport_id: transportId,
    transport: name,
    message_id: messageId,
    member: result.member,
    duration_ms: Math.round(result.durationMs),
    outcome: result.outcome,
    is_permanent: result.isPermanent,
    reply: replyText(result),
    reason: result.outcome === 'accepted' ? null : (result.fault?.message ?? null),
    provider_id: result.messageId,
  }
}

function judge(
  turn: Turn,
  parts: AttemptParts,
  { delivery, result }: { delivery: Omit<DeliveryRow, 'id'>; result: DeliveryResult },
): AttemptMade {
  if (result.outcome !== 'refused') {
    return { attempt: settle(turn, delivery, result.outcome), outUntil: undefined }
  }
  if (result.isPermanent) return { attempt: settle(turn, delivery, 'refused'), outUntil: undefined }
  const attempt = postpone(turn, parts, delivery, result.retryAfterMs)
  const isTransports = result.fault?.scope === 'member' && attempt.status === 'queued'
  return { attempt, outUntil: isTransports ? attempt.dueAt : undefined }
}

function settle(
  { sending, claimed }: Turn,
  delivery: Omit<DeliveryRow, 'id'>,
  status: Attempt['status'],
): Attempt {
  return { sending, contact: claimed.contact, status, dueAt: delivery.started_at, delivery }
}

/** To be tried again later, unless it has been tried long enough. */
function postpone(
  turn: Turn,
  { clock, random }: AttemptParts,
  delivery: Omit<DeliveryRow, 'id'>,
  retryAfterMs: number | null = null,
): Attempt {
  const { sending, claimed } = turn
  const refused = { ...delivery, outcome: 'refused' as const }
  const dueAt = nextAttemptAt({
    attempts: claimed.attempts,
    since: sending.created_at,
    now: clock.now(),
    retryAfterMs,
    random: random(),
  })
  if (dueAt === undefined) return settle(turn, refused, 'refused')
  return { ...settle(turn, refused, 'queued'), dueAt }
}
