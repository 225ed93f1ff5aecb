import type { Kysely } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import { ownedBy } from '../../platform/resource/index.ts'
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
 * a Message-ID, and none of other brands than those of the reader.
 */
export async function findAttempts(
  db: Kysely<DeliveryTables>,
  row: AttemptsOf,
  reader: Caller,
): Promise<DeliveryRow[]> {
  const { message_id: messageId, recipient_key: recipientKey, started_at: startedAt } = row
  if (messageId === null) return []
  const ofRecipient = db
    .selectFrom('deliveries')
    .selectAll()
    .where('recipient_key', '=', recipientKey)
    // The nearest ones: a recipient may have any number of deliveries.
    .limit(searchedMax)
  const before = ofRecipient
    .where('started_at', '<', startedAt)
    .where('started_at', '>=', startedAt - spanMs)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
  const after = ofRecipient
    .where('started_at', '>=', startedAt)
    .where('started_at', '<=', startedAt + spanMs)
    .orderBy('started_at')
    .orderBy('id')
  const near = (rows: typeof before) => db.selectFrom(rows.as('near')).selectAll()
  return (
    db
      .selectFrom(near(before).unionAll(near(after)).as('nearby'))
      .selectAll()
      .where('message_id', '=', messageId)
      // A Message-ID is chosen by its sender: that of another Mautic is another message.
      .where('mautic_id', '=', row.mautic_id)
      .where(ownedBy(reader))
      .orderBy('started_at')
      .orderBy('id')
      .limit(shownMax)
      .execute()
  )
}

/** Finds the other recipients of the same attempt that the reader may see: their deliveries started together. */
export async function findOtherRecipients(
  db: Kysely<DeliveryTables>,
  { id, started_at, process_id, mautic_id, message_id }: DeliveryRow,
  reader: Caller,
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
    .where(ownedBy(reader))
    .orderBy('id')
    .limit(shownMax)
    .execute()
}
