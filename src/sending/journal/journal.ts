import type { Clock } from '../../kit/clock.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import type { WayStep } from '../way/way.ts'
import { createBeginDeliveries } from './begin-deliveries.ts'
import { createFinishDeliveries } from './finish-deliveries.ts'
import { createGroupCommit } from './group-commit.ts'

/** A message that is about to be handed to a transport. */
export interface NewDelivery {
  source: DeliveryRow['source']
  caller: string
  emailId: number | null
  contactId: number | null
  sendingId: number | null
  sender: string
  recipients: readonly JournalRecipient[]
  transportId: number | null
  transport: string | null
  messageId: string | null
  trace: readonly WayStep[]
}

/** One recipient, and what the same message to him is known by when it is handed in again. */
export interface JournalRecipient {
  address: string
  messageKey: string | null
  bulkKey: string | null
}

/** What is known of an earlier delivery of the same message to the same recipient. */
export type Earlier = Pick<
  DeliveryRow,
  'id' | 'outcome' | 'started_at' | 'reply' | 'email_id' | 'contact_id'
>

/** What may be sent now, recipient by recipient. */
export type Admission =
  /** Written down; it may be sent. */
  | { state: 'begun'; id: number; address: string }
  /** Another delivery of it stands in the way. */
  | { state: 'known'; earlier: Earlier; address: string }

/**
 * What is being delivered, and what became of it. It is on disk before a byte of the message leaves, so
 * that whatever dies, nothing is sent twice, and what is not known is known as such.
 */
export interface Journal {
  /** Which process this is; see `Processes`. */
  processId: string
  /** Writes down that the message is about to be sent to each recipient who has not had it yet. */
  begin(delivery: NewDelivery): Promise<Admission[]>
  /** Writes down what became of it. */
  finish(begun: readonly { id: number; address: string }[], result: DeliveryResult): Promise<void>
  /** Writes down that nothing was sent, and why; it may be handed in again. */
  abandon(ids: readonly number[], reason: string): Promise<void>
}

export function openJournal(parts: { storage: Storage; clock: Clock; processId: string }): Journal {
  const { storage, clock, processId } = parts
  const group = createGroupCommit<DeliveryTables>(storage)
  const begin = group.together(createBeginDeliveries())
  const finish = group.together(createFinishDeliveries())
  return {
    processId,
    begin: (delivery) => begin({ delivery, startedAt: clock.now(), processId }),
    finish: (begun, result) => finish({ begun, result }),
    async abandon(ids, reason) {
      await group.run(async (tx) => {
        const change = { outcome: 'refused', reason, message_key: null, bulk_key: null } as const
        const update = tx.updateTable('deliveries').set({ ...change, is_permanent: false })
        await update.where('id', 'in', [...ids]).execute()
      })
    },
  }
}
