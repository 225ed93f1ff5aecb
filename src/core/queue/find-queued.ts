import type { Storage } from '../../platform/storage/index.ts'
import type { QueueTables } from './table.ts'

/** Finds the recipient with a message key; undefined if it is not in the queue. */
export function findQueuedByKey(storage: Storage, messageKey: string) {
  return storage
    .tables<QueueTables>()
    .selectFrom('queue_recipients as recipient')
    .innerJoin('queue_messages as message', 'message.id', 'recipient.message_id')
    .select(['recipient.id', 'recipient.problem', 'message.rendered'])
    .where('recipient.message_key', '=', messageKey)
    .executeTakeFirst()
}
