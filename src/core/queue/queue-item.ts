import Type, { type Static } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { secretMask } from '../../libraries/mailer/index.ts'
import { nullable } from '../../platform/http/index.ts'
import { mauticSchema, subjectDescription, visibleProblem } from '../deliveries/index.ts'
import { type ShownState, shownStates, stateDescription } from './shown-state.ts'

export const laneSchema = Type.Enum(['transactional', 'bulk'])

/** The brand of messages, as answers have it. */
export const ofBrand = Type.Optional(
  Type.Integer({ description: 'Their brand; left out where they have none.' }),
)

const itemExample = {
  id: 1,
  queueId: 1,
  recipient: 'carla@example.net',
  subject: 'Your order 4711',
  sender: 'shop@example.com',
  messageId: '<9c1b7f@example.com>',
  lane: 'transactional',
  state: 'deferred',
  transportId: 2,
  transport: 'Try-out',
  attempts: 2,
  problem: '451 4.3.0 Try again later',
  dateAdded: '2026-01-31T15:54:35+00:00',
  nextAttempt: '2026-01-31T15:56:05+00:00',
  isUnanswered: false,
  expires: '2026-02-01T15:54:35+00:00',
  sizeBytes: 10_240,
  mautic: null,
  emailId: null,
  contactId: null,
  caller: 'admin',
}

/** One recipient of a queued message, as the API shows it. */
export const queuedItem = Type.Object(
  {
    id: Type.Integer(),
    queueId: Type.Integer({
      description:
        'The message, as the reply to its client names it; several recipients may share it.',
    }),
    recipient: Type.String(),
    subject: nullable(Type.String(), { description: subjectDescription }),
    sender: Type.String({ description: 'The sender in the envelope; empty for a notification.' }),
    messageId: nullable(Type.String(), { description: 'The Message-ID of the message.' }),
    lane: laneSchema,
    state: Type.Enum([...shownStates], { description: stateDescription }),
    transportId: nullable(Type.Integer(), {
      description: 'The transport that the last attempt chose.',
    }),
    transport: nullable(Type.String(), {
      description: 'Its name; `default` for the configured one; null if none was chosen yet.',
    }),
    attempts: Type.Integer(),
    problem: nullable(Type.String(), { description: 'Why the last attempt did not deliver it.' }),
    dateAdded: Type.String(),
    nextAttempt: nullable(Type.String(), {
      description: 'When it is due; null unless it is queued or deferred.',
    }),
    isUnanswered: Type.Boolean({
      description: 'Whether it waits for an answer of its Mautic, and is due once this comes.',
    }),
    expires: Type.String({ description: 'When delivery is given up.' }),
    sizeBytes: Type.Integer({ description: 'The size of the message.' }),
    mautic: mauticSchema,
    emailId: nullable(Type.Integer()),
    contactId: nullable(Type.Integer()),
    caller: Type.String({ description: 'Who submitted it.' }),
    brand: ofBrand,
  },
  { title: 'QueuedMessage', examples: [itemExample] },
)
export type QueuedItem = Static<typeof queuedItem>

const counts = Object.fromEntries(
  shownStates.map((state) => [state, Type.Integer({ examples: [state === 'queued' ? 12 : 0] })]),
) as Record<ShownState, ReturnType<typeof Type.Integer>>

const countsExample = { queued: 12, deferred: 3, sending: 2, held: 0, uncertain: 0 }
const groupExample = {
  transportId: 2,
  transport: 'Try-out',
  lane: 'transactional',
  ...countsExample,
  oldest: itemExample.dateAdded,
  nextAttempt: itemExample.nextAttempt,
  state: 'limited',
  problem: null,
  limit: { id: 1, name: 'SES account' },
  availableAt: '2026-02-01T00:00:00+00:00',
}

/** The recipients of one transport and one lane. */
export const queueGroup = Type.Object(
  {
    transportId: nullable(Type.Integer()),
    transport: nullable(Type.String(), {
      description: '`default` for the configured one; null if none was chosen yet.',
    }),
    lane: nullable(laneSchema, { description: 'Null of a held transport without messages.' }),
    ...counts,
    oldest: nullable(Type.String(), {
      description: 'When the oldest was added; null of a held transport without messages.',
    }),
    nextAttempt: nullable(Type.String(), {
      description: 'When the next one is due; null if none is queued or deferred.',
    }),
    state: nullable(
      Type.Enum([
        'available',
        'unavailable',
        'limited',
        'held',
        'unpublished',
        'deleted',
        'unanswered',
      ]),
      {
        description:
          'The state of the transport: `unavailable` backs off after a failure, as this process has seen it; a `limit` of `limited` allows nothing until `availableAt`; a person holds what is `held`, also what arrives later; `unanswered`: a Mautic has not answered what decides about it; null if none was chosen yet.',
      },
    ),
    problem: nullable(Type.String(), {
      description: 'Its last failure, until a message is accepted.',
    }),
    limit: nullable(Type.Object({ id: Type.Integer(), name: Type.String() }), {
      description: 'The limit that is reached.',
    }),
    availableAt: nullable(Type.String(), {
      description: 'When an unavailable transport is tried again, or its limit is free.',
    }),
  },
  {
    title: 'QueueGroup',
    examples: [groupExample],
  },
)

/** The whole queue, as the API shows it. */
export const queueOverview = Type.Object(
  {
    groups: Type.Array(queueGroup, { description: 'By transport and lane.' }),
    total: Type.Object(counts),
    oldest: nullable(Type.String()),
    bytes: Type.Integer({ description: 'The size of all of these messages.' }),
    bytesMax: Type.Integer({ description: 'At this size, messages are answered 452.' }),
    dateCounted: Type.String({ description: 'The numbers are a few seconds old at most.' }),
  },
  {
    title: 'Queue',
    examples: [
      {
        groups: [groupExample],
        total: countsExample,
        oldest: groupExample.oldest,
        bytes: 122_880,
        bytesMax: 10_485_760_000,
        dateCounted: '2026-01-31T15:55:00+00:00',
      },
    ],
  },
)
export type QueueOverview = Static<typeof queueOverview>

const transportsView = 'multipleTransports:view'
const contactsView = 'contact:view'

/** Returns what the caller may see of a recipient; see `visibleDelivery`. */
export function visibleQueued(item: QueuedItem, caller: Caller): QueuedItem {
  const seesTransports = caller.can(transportsView)
  const seesContacts = caller.can(contactsView)
  const code = /^\d{3}( \d\.\d{1,3}\.\d{1,3})?/.exec(item.problem ?? '')?.[0] ?? null
  return {
    ...item,
    ...(seesTransports ? {} : { transportId: null, transport: null }),
    ...(seesContacts ? {} : { contactId: null, recipient: secretMask, subject: null }),
    ...(seesTransports && seesContacts ? {} : { problem: code }),
  }
}

/** Returns what the caller may see of the queue. */
export function visibleOverview(overview: QueueOverview, caller: Caller): QueueOverview {
  if (caller.can(transportsView)) return overview
  const groups = overview.groups.map((group) => {
    const problem = visibleProblem(group.problem, caller)
    return { ...group, transportId: null, transport: null, problem, limit: null }
  })
  return { ...overview, groups }
}

export const formatTime = (time: number | undefined): string | null =>
  time === undefined ? null : formatDate(time)
