import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DeliveryRow, DeliveryTables } from '../delivery/index.ts'

/** The most attempts, and the most other recipients, that one delivery is shown with. */
const shownMax = 100
/** A message is retried for 72 hours; a delivery may be settled, and sent again, some days later. */
const spanMs = 14 * 86_400_000
/** The deliveries to one recipient, before and after this one, that are searched for the same message. */
const searchedMax = 1_000

/** What identifies a message and its recipient, and a time near its attempts. */
export type AttemptsOf = Pick<
  DeliveryRow,
  'mautic_id' | 'message_id' | 'recipient_key' | 'started_at'
>

/**
 * Finds the attempts to send the same message to the same recipient, the oldest first. None is found of a message without
 * a Message-ID.
 */
export async function findAttempts(
  db: Kysely<DeliveryTables>,
  row: AttemptsOf,
): Promise<DeliveryRow[]> {
  const { message_id: messageId, recipient_key: recipientKey, started_at: startedAt } = row
  if (messageId === null) return []
  const before = sql`started_at < ${startedAt} and started_at >= ${startedAt - spanMs}`
  const after = sql`started_at >= ${startedAt} and started_at <= ${startedAt + spanMs}`
  // A Message-ID is chosen by its sender: that of another Mautic is another message.
  const isOfOwner = sql`mautic_id = ${row.mautic_id}`
  // The nearest ones: a recipient may have any number of deliveries.
  const near = (isNear: RawBuilder<unknown>, direction: 'asc' | 'desc') =>
    sql`select * from (select * from deliveries where recipient_key = ${recipientKey} and ${isNear}
      order by started_at ${sql.raw(direction)}, id ${sql.raw(direction)} limit ${searchedMax}) as near`
  const { rows } = await sql<DeliveryRow>`select * from
      (${near(before, 'desc')} union all ${near(after, 'asc')}) as nearby
    where message_id = ${messageId} and ${isOfOwner} order by started_at, id limit ${shownMax}`.execute(
    db,
  )
  return rows
}

/** Finds the other recipients of the same attempt: their deliveries started together. */
export async function findOtherRecipients(
  db: Kysely<DeliveryTables>,
  { id, started_at, process_id, mautic_id, message_id }: DeliveryRow,
): Promise<DeliveryRow[]> {
  // Without a Message-ID, another message may have started with it.
  if (message_id === null) return []
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('started_at', '=', started_at)
    .where('process_id', '=', process_id)
    .where('mautic_id', '=', mautic_id)
    .where('message_id', '=', message_id)
    .where('id', '<>', id)
    .orderBy('id')
    .limit(shownMax)
    .execute()
}
