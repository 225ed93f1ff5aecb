import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { createBeginDeliveries, earlierQuery } from './begin-deliveries.ts'
import { createFinishDeliveries } from './finish-deliveries.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Admission, JournalRecipient, Known, NewDelivery } from './new-delivery.ts'

/**
 * What is being delivered, and what became of it. The first is on disk before a server can have the
 * message, so that whatever dies, nothing is sent twice, and what is not known is known as such: after a
 * power cut the outcomes of the last ten milliseconds may be.
 */
export interface Journal {
  /** Which process this is; see `Processes`. */
  processId: string
  /** Writes down that the message is about to be sent to each recipient who has not had it yet. */
  begin(delivery: NewDelivery): Promise<Begun>
  /** Those for whom an earlier delivery of the message stands; asked where it cannot be begun. */
  recall(recipients: readonly JournalRecipient[]): Promise<Known[]>
  /** Writes down what became of it. */
  finish(begun: readonly { id: number; address: string }[], result: DeliveryResult): Promise<void>
}

/** What may be sent: once `onDisk` resolves, and not at all where it rejects, with an AppError (`upstream`). */
export interface Begun {
  admissions: readonly Admission[]
  onDisk: Promise<void>
}

export function openJournal(parts: { storage: Storage; clock: Clock; processId: string }): Journal {
  const { storage, clock, processId } = parts
  const db = storage.tables<DeliveryTables>()
  const group = createGroupCommit(storage)
  const begin = group.together(createBeginDeliveries(db))
  const finish = group.together(createFinishDeliveries(db))
  return {
    processId,
    async begin(delivery) {
      const admissions = await begin({ delivery, startedAt: clock.now(), processId })
      const onDisk = group.reachDisk()
      // Whoever has nothing to send does not ask for it.
      onDisk.catch(() => undefined)
      return { admissions, onDisk }
    },
    async recall(recipients) {
      const known: Known[] = []
      for (const { address, messageKey, bulkKey } of recipients) {
        const keys = { message_key: messageKey, bulk_key: bulkKey }
        const earlier = await earlierQuery(db, keys).executeTakeFirst()
        if (earlier !== undefined) known.push({ address, earlier })
      }
      return known
    },
    finish: (begun, result) => finish({ begun, result }),
  }
}
