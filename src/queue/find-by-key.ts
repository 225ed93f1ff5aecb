import type { Storage } from '../storage/index.ts'
import type { QueueMessageRow, QueueRecipientRow, QueueTables } from './table.ts'

/** A recipient in the queue, by its key. */
export type KeyedRecipient = Pick<QueueRecipientRow, 'id' | 'problem'> &
  Pick<QueueMessageRow, 'rendered'>

/** Returns the recipient with a message key; undefined if it is not in the queue. */
export function findQueuedByKey(
  storage: Pick<Storage, 'tables'>,
  messageKey: string,
): Promise<KeyedRecipient | undefined> {
  const query = storage.tables<QueueTables>().selectFrom('queue_recipients as recipient')
  return query
    .innerJoin('queue_messages as message', 'message.id', 'recipient.message_id')
    .select(['recipient.id', 'recipient.problem', 'message.rendered'])
    .where('recipient.message_key', '=', messageKey)
    .executeTakeFirst()
}
