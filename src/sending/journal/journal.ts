import type { Kysely } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { type Beginning, createBeginDeliveries, earlierQuery } from './begin-deliveries.ts'
import { createFinishDeliveries } from './finish-deliveries.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import {
  createGiveUp,
  createLostBeginnings,
  type LostBeginningsOptions,
  notBegun,
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
  lost?: Pick<LostBeginningsOptions, 'intervalMs' | 'forMs'> | undefined
}

export function openJournal({ storage, clock, processId, lost }: JournalOptions): Journal {
  const db = storage.tables<DeliveryTables>()
  const group = createGroupCommit(storage)
  const finish = group.together(createFinishDeliveries(db), ({ begun }) => begun.length)
  const own = openOwnBeginnings({ group, db, clock, processId, lost })
  return {
    processId,
    async begin(delivery) {
      const admissions = await own.begin({ delivery, startedAt: clock.now(), processId })
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
      for (const { id } of begun) own.end(id)
    },
    close: () => own.close(),
  }
}

/** What this process has begun: each is among the beginnings until it is under way, or has failed. */
function openOwnBeginnings({
  group,
  db,
  clock,
  processId,
  lost,
}: Omit<JournalOptions, 'storage'> & { group: GroupCommit; db: Kysely<DeliveryTables> }) {
  const begin = group.together(
    createBeginDeliveries(db),
    ({ delivery }) => delivery.recipients.length,
  )
  const beginning = new Set<Beginning>()
  const underWay = new Set<number>()
  const giveUp = group.together(
    createGiveUp(db, {
      processId,
      isUnderWay: (id) => underWay.has(id),
      oldestBeginning: () => Math.min(...[...beginning].map(({ startedAt }) => startedAt)),
    }),
  )
  const lostBeginnings = createLostBeginnings({
    ...lost,
    giveUp: async (time) => void (await giveUp(time)),
    now: () => clock.now(),
  })
  return {
    async begin(own: Beginning): Promise<Admission[]> {
      beginning.add(own)
      try {
        const admissions = await begin(own)
        for (const each of admissions) if (each.state === 'begun') underWay.add(each.id)
        return admissions
      } catch (error) {
        lostBeginnings.expect()
        throw notBegun(error)
      } finally {
        beginning.delete(own)
      }
    },
    end: (id: number) => underWay.delete(id),
    close: () => lostBeginnings.close(),
  }
}
