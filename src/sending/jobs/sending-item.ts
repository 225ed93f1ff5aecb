import Type, { type Static } from 'typebox'
import type { EmailTables } from '../../emails/index.ts'
import { nullable } from '../../http/index.ts'
import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'
import type { Storage } from '../../storage/index.ts'
import type { SendingRow, SendingTables } from './table.ts'

/** What the API shows of a sending. */
export const sendingItem = Type.Object({
  id: Type.Integer(),
  email: Type.Object({ id: Type.Integer(), name: Type.String() }),
  segment: nullable<string>('string'),
  status: Type.Enum(['running', 'paused', 'cancelled', 'done']),
  isPrepared: Type.Boolean({ description: 'Whether all its contacts are counted yet.' }),
  total: Type.Integer(),
  queued: Type.Integer({ description: 'Still to be sent, also once more.' }),
  accepted: Type.Integer(),
  refused: Type.Integer({ description: 'For good.' }),
  uncertain: Type.Integer({ description: 'May have arrived; not sent again.' }),
  remaining: Type.Integer(),
  rate: Type.Number({ description: 'Messages a second, over the last ten.' }),
  estimatedEnd: nullable<string>('string'),
  dateAdded: Type.String(),
  dateFinished: nullable<string>('string'),
  createdBy: Type.String(),
})
export type SendingItem = Static<typeof sendingItem>

const rateOverMs = 10_000

/** A sending as the API shows it, with how fast it goes just now. */
export async function sendingItemOf(
  storage: Storage,
  row: SendingRow,
  now: number,
): Promise<SendingItem> {
  const db = storage.tables<SendingTables & EmailTables>()
  const email = await db
    .selectFrom('emails')
    .select(['id', 'name'])
    .where('id', '=', row.email_id)
    .executeTakeFirst()
  const { count } = await db
    .selectFrom('sending_recipients')
    .select((recipient) => recipient.fn.countAll<number>().as('count'))
    .where('sending_id', '=', row.id)
    .where('finished_at', '>', now - rateOverMs)
    .executeTakeFirstOrThrow()
  const remaining =
    row.status === 'cancelled' ? 0 : row.total - row.accepted - row.refused - row.uncertain
  const rate = Number(count) / (rateOverMs / 1_000)
  const isMoving = row.status === 'running' && rate > 0 && remaining > 0
  return {
    id: row.id,
    email: { id: row.email_id, name: email?.name ?? '' },
    segment: row.segment,
    status: row.status,
    isPrepared: Boolean(row.is_prepared),
    total: row.total,
    queued: remaining,
    accepted: row.accepted,
    refused: row.refused,
    uncertain: row.uncertain,
    remaining,
    rate,
    estimatedEnd: isMoving ? formatDate(now + (remaining / rate) * 1_000) : null,
    dateAdded: formatDate(row.created_at),
    dateFinished: formatOptionalDate(row.finished_at),
    createdBy: row.caller,
  }
}
