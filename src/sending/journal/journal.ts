import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { createBeginDeliveries, earlierQuery } from './begin-deliveries.ts'
import { createFinishDeliveries } from './finish-deliveries.ts'
import { createGroupCommit } from './group-commit.ts'
import {
  createGiveUp,
  createLostBeginnings,
  type LostBeginningsOptions,
} from './lost-beginnings.ts'
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
  close(): void
}

/** What may be sent: once `onDisk` resolves, and not at all where it rejects, with an AppError (`upstream`). */
export interface Begun {
  admissions: readonly Admission[]
  onDisk: Promise<void>
}

/** What a journal is kept with. */
export interface JournalOptions {
  storage: Storage
  clock: Clock
  processId: string
  /** How it looks for beginnings whose answer was lost; see `LostBeginningsOptions`. */
  lost?: Pick<LostBeginningsOptions, 'intervalMs' | 'forMs'>
}

export function openJournal({ storage, clock, processId, lost }: JournalOptions): Journal {
  const db = storage.tables<DeliveryTables>()
  const group = createGroupCommit(storage)
  const begin = group.together(
    createBeginDeliveries(db),
    ({ delivery }) => delivery.recipients.length,
  )
  const finish = group.together(createFinishDeliveries(db), ({ begun }) => begun.length)
  const underWay = new Set<number>()
  const isUnderWay = (id: number) => underWay.has(id)
  // Among the beginnings: none of them is under way then.
  const giveUp = group.together(createGiveUp(db, { processId, isUnderWay }))
  const lostBeginnings = createLostBeginnings({
    ...lost,
    giveUp: async (time) => void (await giveUp(time)),
    now: () => clock.now(),
  })
  return {
    processId,
    async begin(delivery) {
      const admissions = await begin({ delivery, startedAt: clock.now(), processId }).catch(
        (error: unknown) => {
          lostBeginnings.expect()
          throw error
        },
      )
      for (const each of admissions) if (each.state === 'begun') underWay.add(each.id)
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
    async finish(begun, result) {
      await finish({ begun, result })
      for (const { id } of begun) underWay.delete(id)
    },
    close: () => lostBeginnings.close(),
  }
}
