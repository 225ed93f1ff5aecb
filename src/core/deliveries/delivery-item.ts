import type { Static } from 'typebox'
import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, type CallerMautic, noBrand } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { replyClasses, secretMask } from '../../libraries/mailer/index.ts'
import { nullable } from '../../platform/http/index.ts'
import {
  type DeliveryRow,
  deliveryEventTypes,
  deliveryOutcomes,
  deliverySources,
  describeEvents,
  describeOutcomes,
  isTransport,
} from '../delivery/index.ts'
import { type RouteStep, routeOutcomes, routeSources } from '../routing/index.ts'
import type { DeliveryQuery } from './delivery-query.ts'

const stepExample = {
  source: 'email',
  transport: { id: 2, name: 'Try-out' },
  outcome: 'taken',
  reason: 'The transport of the email.',
}

/** One step of a route, as the API shows it. */
export const routeStep = Type.Object(
  {
    source: Type.Enum([...routeSources]),
    transport: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
    outcome: Type.Enum([...routeOutcomes], {
      description: '`noted`: no candidate, but how the email or the contact was found.',
    }),
    reason: Type.String(),
  },
  { title: 'RouteStep', examples: [stepExample] },
)

const deliveryExample = {
  id: 1,
  date: '2026-01-31T15:54:35+00:00',
  durationMs: 120,
  source: 'api',
  caller: 'admin',
  mautic: null,
  emailId: 1,
  contactId: 1,
  sender: 'mailyard@localhost',
  recipient: 'carla@example.net',
  subject: 'Your order 4711',
  transportId: 2,
  transport: 'Try-out',
  member: 'smtp://smtp.example.com:587',
  outcome: 'accepted',
  event: null,
  reply: '250 2.0.0 Ok: queued as 4Xz1',
  class: null,
  reason: null,
  messageId: '<9c1b7f@example.com>',
  providerId: null,
  lookFor: null,
  trace: [stepExample],
}

const replyClassDescription =
  'What the reply is about, by all its codes and words; null if it was accepted, and without a reply.'

/** The Mautic that a message came from. */
export const mauticSchema = Type.Unsafe<CallerMautic | null>({
  type: ['object', 'null'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id', 'name'],
  description:
    'The connected Mautic that the message came from, and whose ids email and contact have; null for none. The name of a deleted one is empty.',
})

export const subjectDescription =
  'Decoded, at most 255 characters. Null without a Subject, and without `contact:view`: it may hold data of the contact.'

/** A delivery, as the API shows it. */
export const deliveryItem = Type.Object(
  {
    id: Type.Integer(),
    date: Type.String(),
    durationMs: nullable(Type.Integer()),
    source: Type.Enum([...deliverySources]),
    caller: Type.String(),
    brand: Type.Optional(
      Type.Integer({ description: 'The brand of the message; absent where it has none.' }),
    ),
    mautic: mauticSchema,
    emailId: nullable(Type.Integer()),
    contactId: nullable(Type.Integer()),
    sender: Type.String(),
    recipient: Type.String(),
    subject: nullable(Type.String(), { description: subjectDescription }),
    transportId: nullable(Type.Integer()),
    transport: nullable(Type.String()),
    member: nullable(Type.String()),
    outcome: Type.Enum([...deliveryOutcomes], {
      description: describeOutcomes(),
    }),
    event: nullable(Type.Enum([...deliveryEventTypes]), {
      description: `The gravest of what its provider reported afterwards. ${describeEvents()}`,
    }),
    reply: nullable(Type.String()),
    class: nullable(Type.Enum([...replyClasses]), { description: replyClassDescription }),
    reason: nullable(Type.String()),
    messageId: nullable(Type.String()),
    providerId: nullable(Type.String()),
    lookFor: nullable(Type.String(), {
      description: 'How to find out whether an uncertain message arrived; null for other outcomes.',
    }),
    trace: Type.Array(routeStep),
  },
  { title: 'Delivery', examples: [deliveryExample] },
)
export type DeliveryItem = Static<typeof deliveryItem>

/** The names of Mautics, by id. */
export type MauticNames = ReadonlyMap<number, string>

/** Describes the Mautic of a row for the API. */
export function presentMautic(id: number, names: MauticNames): CallerMautic | null {
  return id === 0 ? null : { id, name: names.get(id) ?? '' }
}

/** Converts a row for the API. */
export function presentDelivery(row: DeliveryRow, names: MauticNames = new Map()): DeliveryItem {
  const item = {
    id: row.id,
    date: formatDate(row.started_at),
    durationMs: row.duration_ms,
    source: row.source,
    caller: row.caller,
    ...(row.brand_id === noBrand ? {} : { brand: row.brand_id }),
    mautic: presentMautic(row.mautic_id, names),
    emailId: row.email_id,
    contactId: row.contact_id,
    sender: row.sender,
    recipient: row.recipient,
    subject: row.subject,
    transportId: isTransport(row.transport_id) ? row.transport_id : null,
    transport: row.transport,
    member: row.member,
    outcome: row.outcome,
    event: row.event ?? null,
    reply: row.reply,
    class: row.class ?? null,
    reason: row.reason,
    messageId: row.message_id,
    providerId: row.provider_id,
    lookFor: null,
    trace: JSON.parse(row.trace) as RouteStep[],
  }
  return { ...item, lookFor: settleHint(item) }
}

const transportsView = 'multipleTransports:view'
const contactsView = 'contact:view'
const usersView = 'user:view'

/**
 * Returns what the caller may see of a delivery: details of transports (names, hosts, replies) need
 * `multipleTransports:view`, contacts and their addresses `contact:view`, names of users `user:view`.
 */
export function visibleDelivery(item: DeliveryItem, caller: Caller): DeliveryItem {
  const seesTransports = caller.can(transportsView)
  const seesContacts = caller.can(contactsView)
  // Replies and reasons name hosts, and repeat the address of the recipient.
  const seesReplies = seesTransports && seesContacts
  const visible = {
    ...item,
    ...(seesTransports ? {} : { transportId: null, transport: null, member: null }),
    ...(seesContacts ? {} : { contactId: null, recipient: secretMask, subject: null }),
    ...(seesReplies ? {} : { reply: codeOf(item.reply), reason: null, providerId: null }),
    trace: visibleTrace(item.trace, caller),
  }
  return { ...visible, lookFor: settleHint(visible) }
}

/** Says how an operator finds out whether an uncertain message arrived; null for any other outcome. */
function settleHint(delivery: DeliveryItem): string | null {
  const { outcome, date, member, transport, messageId, sender, recipient } = delivery
  if (outcome !== 'uncertain') return null
  const server =
    member ?? (transport === null ? 'the server' : `the server of the transport "${transport}"`)
  const to = recipient === secretMask ? '' : ` to ${recipient}`
  const message = messageId === null ? `a message from ${sender}${to}` : `${messageId}${to}`
  return (
    `Look for ${message} in the log of ${server} from ${date} on. If the server took the message, settle it as ` +
    'accepted. If the log does not have it, settle it as deferred: it may then be sent again.'
  )
}

/** Returns what the caller may see of how a route was chosen. */
export function visibleTrace(trace: readonly RouteStep[], caller: Caller): RouteStep[] {
  if (!caller.can(transportsView))
    return trace.map((step) => ({ ...step, transport: null, reason: hidden(transportsView) }))
  if (caller.can(usersView)) return [...trace]
  return trace.map((step) =>
    step.source === 'owner' ? { ...step, reason: hidden(usersView) } : step,
  )
}

/** Returns the problem of a transport, or the permission that is needed to view it. */
export function visibleProblem(problem: string | null, caller: Caller): string | null {
  return problem === null || caller.can(transportsView) ? problem : hidden(transportsView)
}

/** Throws an AppError (`forbidden`) for filters by fields that the caller may not see: the result would reveal them. */
export function checkFilters(query: DeliveryQuery, caller: Caller): void {
  const { transportId, transport, member, contactId, recipient, subject, search } = query
  const isGiven = (value: unknown) => value !== undefined
  const needed = [
    ...([transportId, transport, member, search].some(isGiven) ? [transportsView] : []),
    ...([contactId, recipient, subject, search].some(isGiven) ? [contactsView] : []),
  ]
  needPermissions(needed, caller)
}

/** Throws an AppError (`forbidden`) unless the caller has the permissions that a filter or a statistic needs. */
export function needPermissions(permissions: readonly string[], caller: Caller): void {
  const missing = permissions.filter((permission) => !caller.can(permission))
  if (missing.length === 0) return
  const message = `You do not have permission to filter or count by this (${missing.join(', ')}).`
  throw new AppError('forbidden', 'permission_missing', message)
}

function hidden(permission: string): string {
  return `Hidden: you do not have permission to view it (${permission}).`
}

/** The codes of a reply, without its text. */
function codeOf(reply: string | null): string | null {
  return /^\d{3}( \d\.\d{1,3}\.\d{1,3})?/.exec(reply ?? '')?.[0] ?? null
}
