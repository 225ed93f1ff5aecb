import Type, { type Static } from 'typebox'
import { nullable } from '../../http/index.ts'
import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'
import { rateOf, remainingOf } from './counts.ts'
import { readSkipped } from './enrol.ts'
import { neverDue, type SendingState } from './sending-store.ts'

const sendingExample = {
  id: 1,
  email: { id: 1, name: 'Sample email' },
  segment: 'newsletter',
  status: 'running',
  problem: null,
  isPrepared: true,
  total: 1200,
  skipped: { alreadySent: 12, beingSent: 0, withoutAddress: 3, unpublished: 0, deleted: 0 },
  queued: 900,
  accepted: 296,
  refused: 3,
  uncertain: 1,
  remaining: 900,
  rate: 42.5,
  estimatedEnd: '2026-01-31T15:55:20+00:00',
  nextAttempt: null,
  dateAdded: '2026-01-31T15:54:35+00:00',
  dateFinished: null,
  createdBy: 'admin',
}

/** What the API shows of a sending. */
export const sendingItem = Type.Object(
  {
    id: Type.Integer(),
    email: Type.Object({ id: Type.Integer(), name: Type.String() }),
    segment: nullable<string>('string'),
    status: Type.Enum(['running', 'paused', 'cancelled', 'done']),
    problem: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why it does not move, for the person who can mend it.',
    }),
    isPrepared: Type.Boolean({ description: 'Whether all its contacts are counted yet.' }),
    total: Type.Integer({ description: 'accepted, refused, uncertain and remaining together.' }),
    skipped: Type.Object(
      {
        alreadySent: Type.Integer({ description: 'They have this email already, or may have it.' }),
        beingSent: Type.Integer({
          description: 'Another sending of this email is about to reach them.',
        }),
        withoutAddress: Type.Integer(),
        unpublished: Type.Integer(),
        deleted: Type.Integer({ description: 'Deleted before they were counted.' }),
      },
      { description: 'Contacts that were left out, and are not in total, by the reason.' },
    ),
    queued: Type.Integer({ description: 'Still to be sent, also once more.' }),
    accepted: Type.Integer(),
    refused: Type.Integer({ description: 'For good.' }),
    uncertain: Type.Integer({ description: 'May have arrived; not sent again.' }),
    remaining: Type.Integer({
      description: 'As queued; of what is cancelled, who did not get it.',
    }),
    rate: Type.Number({ description: 'Messages a second, over the last ten.' }),
    estimatedEnd: nullable<string>('string'),
    nextAttempt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'When the next is due, where all that remain wait to be tried again.',
    }),
    dateAdded: Type.String(),
    dateFinished: nullable<string>('string'),
    createdBy: Type.String(),
  },
  { title: 'Sending', examples: [sendingExample] },
)
export type SendingItem = Static<typeof sendingItem>

/** A sending as the API shows it, with how fast it goes just now. */
export function presentSending(row: SendingState, email: string, now: number): SendingItem {
  const remaining = remainingOf(row)
  const isRunning = row.status === 'running'
  const rate = isRunning ? rateOf(row, now) : 0
  const isWaiting = isRunning && row.due_at > now && row.due_at < neverDue
  const hasEnd = rate > 0 && remaining > 0
  return {
    id: row.id,
    email: { id: row.email_id, name: email },
    segment: row.segment,
    status: row.status,
    problem: row.problem,
    isPrepared: Boolean(row.is_prepared),
    total: row.total,
    skipped: readSkipped(row.skipped),
    queued: row.status === 'cancelled' ? 0 : remaining,
    accepted: row.accepted,
    refused: row.refused,
    uncertain: row.uncertain,
    remaining,
    rate,
    estimatedEnd: hasEnd ? formatDate(now + (remaining / rate) * 1_000) : null,
    nextAttempt: isWaiting ? formatDate(row.due_at) : null,
    dateAdded: formatDate(row.created_at),
    dateFinished: formatOptionalDate(row.finished_at),
    createdBy: row.caller,
  }
}
