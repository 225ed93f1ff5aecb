import Type, { type Static } from 'typebox'
import {
  type BrakeReason,
  type BroadcastCounter,
  brakeKinds,
  brakeOf,
  broadcastCounters,
  deliveryEvents,
  describeBrake,
  type EventCounter,
  eventCounters,
  outcomes,
  visibleProblem,
} from '../delivery/index.ts'
import { nullable } from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import { formatDate, formatOptionalDate } from '../kit/iso-date.ts'
import { countsOf, noCounts, rateOf, remainingOf } from './counts.ts'
import { readSkipped } from './producer.ts'
import { type BroadcastSummary, broadcastStates } from './table.ts'

const broadcastExample = {
  id: 1,
  email: { id: 1, name: 'Sample email', isDeleted: false },
  segment: 'newsletter',
  state: 'running',
  problem: null,
  brake: null,
  isPrepared: true,
  total: 1200,
  skipped: {
    alreadySent: 12,
    beingSent: 0,
    withoutAddress: 3,
    unpublished: 0,
    deleted: 0,
    suppressed: 2,
  },
  queued: 900,
  ...noCounts,
  accepted: 300,
  delivered: 290,
  bounced: 4,
  complained: 0,
  unsubscribed: 1,
  remaining: 900,
  rate: 42.5,
  estimatedEnd: '2026-01-31T15:55:20+00:00',
  nextAttempt: null,
  dateAdded: '2026-01-31T15:54:35+00:00',
  dateFinished: null,
  createdBy: 'admin',
  warnings: [],
}

/** The contacts that a broadcast leaves out. */
export const skippedCounts = Type.Object(
  {
    alreadySent: Type.Integer({
      description: 'They got this email before, or may have got it.',
    }),
    beingSent: Type.Integer({
      description: 'They wait in another broadcast of this email.',
    }),
    withoutAddress: Type.Integer(),
    unpublished: Type.Integer(),
    deleted: Type.Integer({ description: 'Deleted before they were counted.' }),
    suppressed: Type.Integer({ description: 'Their address is suppressed.' }),
  },
  {
    description: 'Contacts that were left out, by reason; total does not include them.',
    examples: [broadcastExample.skipped],
  },
)

interface BroadcastBrake extends BrakeReason {
  since: string
}

const counters = Object.fromEntries(
  broadcastCounters.map((each) => [each, Type.Integer({ description: outcomes[each].meaning })]),
) as Record<BroadcastCounter, Type.TInteger>

const ofEvents = Object.fromEntries(
  eventCounters.map((each) => [
    each,
    Type.Integer({ description: `As their provider reported: ${deliveryEvents[each].meaning}.` }),
  ]),
) as Record<EventCounter, Type.TInteger>

/** A broadcast, as the API shows it. */
export const broadcastItem = Type.Object(
  {
    id: Type.Integer(),
    email: Type.Object({
      id: Type.Integer(),
      name: Type.String({
        description:
          'A deleted email keeps its name while it can be restored; then the name is empty.',
      }),
      isDeleted: Type.Boolean(),
    }),
    segment: nullable(Type.String()),
    state: Type.Enum([...broadcastStates]),
    problem: nullable(Type.String(), {
      description:
        'Why nothing is sent, for the person who can fix it. Of one that is done: that its brake had paused it.',
    }),
    brake: Type.Unsafe<BroadcastBrake | null>({
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['kind', 'attempts', 'refused', 'accepted', 'events', 'since'],
      properties: {
        kind: { enum: [...brakeKinds] },
        attempts: { type: 'integer', description: 'Since a person last continued.' },
        refused: {
          type: 'integer',
          description: 'How many of these attempts were refused for good.',
        },
        accepted: {
          type: ['integer', 'null'],
          description: 'The last accepted messages that were looked at; null for `refusals`.',
        },
        events: {
          type: ['integer', 'null'],
          description:
            'How many of the accepted messages bounced or were complained about; null for `refusals`.',
        },
        since: { type: 'string' },
      },
      description:
        'Set while its brake has paused it: 20 % or more of at least 50 attempts were refused for good, or more than 5 % of its last accepted messages bounced, or more than 0.3 % were complained about. Find out why, then resume or cancel it.',
    }),
    isPrepared: Type.Boolean({
      description:
        'Whether all its contacts were looked at. Until then, total includes some that may be left out.',
    }),
    total: Type.Integer({
      description: `${broadcastCounters.join(', ')} and remaining together.`,
    }),
    skipped: skippedCounts,
    queued: Type.Integer({ description: 'Waiting for the first try or a retry.' }),
    ...counters,
    ...ofEvents,
    remaining: Type.Integer({
      description: 'As queued; of a cancelled broadcast, those not reached.',
    }),
    rate: Type.Number({ description: 'Messages per second, over the last ten seconds.' }),
    estimatedEnd: nullable(Type.String()),
    nextAttempt: nullable(Type.String(), {
      description: 'When the next recipient is due, if all that remain wait for a retry.',
    }),
    dateAdded: Type.String(),
    dateFinished: nullable(Type.String()),
    createdBy: Type.String(),
    warnings: Type.Array(Type.String(), {
      description: 'What its messages lack, such as a link to unsubscribe.',
    }),
  },
  { title: 'Broadcast', examples: [broadcastExample] },
)
export type BroadcastItem = Static<typeof broadcastItem>

/** What is shown of a broadcast besides its row. */
export interface BroadcastFacts {
  email: { name: string; isDeleted: boolean }
  warnings: string[]
  /** Its recipients in the queue; undefined unless it runs. */
  waiting: WaitingRecipients | undefined
  now: number
}

/** The recipients of a broadcast that wait in the queue. */
export interface WaitingRecipients {
  /** When the next is due; null if all are held. */
  dueAt: number | null
  /** Why one of them was not delivered; null if none was tried. */
  problem: string | null
}

/** Converts a broadcast for the API, with its current rate. */
export function presentBroadcast(
  row: BroadcastSummary,
  { email, warnings, waiting, now }: BroadcastFacts,
): BroadcastItem {
  const remaining = remainingOf(row)
  const isRunning = row.state === 'running'
  const rate = isRunning ? rateOf(row, now) : 0
  const dueAt = waiting?.dueAt ?? null
  const isWaiting = dueAt !== null && dueAt > now
  // Of a broadcast that goes on, one recipient that was put off is no problem.
  const isHeld = waiting !== undefined && dueAt === null
  const hasProblem = isWaiting || isHeld || rate === 0
  const problem = row.problem ?? (hasProblem ? (waiting?.problem ?? null) : null)
  const brake = presentBrake(row)
  const hasEnd = rate > 0 && remaining > 0
  return {
    id: row.id,
    email: { id: row.email_id, name: email.name, isDeleted: email.isDeleted },
    segment: row.segment,
    state: row.state,
    problem: problemOf(row) ?? problem,
    brake,
    isPrepared: Boolean(row.is_prepared),
    total: row.total,
    skipped: readSkipped(row.skipped),
    queued: row.state === 'cancelled' ? 0 : remaining,
    ...countsOf(row),
    delivered: row.delivered,
    bounced: row.bounced,
    complained: row.complained,
    unsubscribed: row.unsubscribed,
    remaining,
    rate,
    estimatedEnd: hasEnd ? formatDate(now + (remaining / rate) * 1_000) : null,
    nextAttempt: isWaiting ? formatDate(dueAt) : null,
    dateAdded: formatDate(row.created_at),
    dateFinished: formatOptionalDate(row.finished_at),
    createdBy: row.caller,
    warnings,
  }
}

function presentBrake(row: BroadcastSummary): BroadcastBrake | null {
  const brake = brakeOf(row)
  if (row.state !== 'paused' || brake === undefined) return null
  const { brakedAt, ...reason } = brake
  return { ...reason, since: formatDate(brakedAt) }
}

/** What the brake of a broadcast has done; undefined unless it has paused it. */
function problemOf(row: BroadcastSummary): string | undefined {
  const brake = brakeOf(row)
  if (brake === undefined) return undefined
  const reason = describeBrake(brake)
  if (row.state === 'done')
    return `Its brake paused it, with nothing left to send: ${reason} Find out why in its deliveries.`
  if (row.state !== 'paused') return undefined
  return `Paused by its brake: ${reason} Find out why in its deliveries, then continue or cancel it.`
}

/** Returns what the caller may see of a broadcast. */
export function visibleBroadcast(item: BroadcastItem, caller: Caller): BroadcastItem {
  // The brake names no transport, and only a brake is the problem of a broadcast that is done.
  if (item.brake !== null || item.state === 'done') return item
  return { ...item, problem: visibleProblem(item.problem, caller) }
}
