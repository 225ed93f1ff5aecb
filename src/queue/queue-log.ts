import type { DeliveryRow, DeliveryTables, OnUnattempted } from '../delivery/index.ts'
import { emptyDelivery, findOriginal, releaseKeys, storableText } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import { emailKey } from '../kit/normalize-for-search.ts'
import type { Storage } from '../storage/index.ts'
import type { MessageFacts } from './queue-store.ts'

/** The end of a queued message for one recipient without an attempt. */
export interface UnattemptedOutcome {
  outcome: Extract<DeliveryRow['outcome'], 'expired' | 'cancelled'>
  message: Pick<
    MessageFacts,
    | 'caller'
    | 'sender'
    | 'mautic_id'
    | 'email_id'
    | 'contact_id'
    | 'broadcast_id'
    | 'message_id'
    | 'rendered'
  >
  address: string
  /** Why, in a sentence. */
  reason: string
}

/** What the queue writes to the delivery log itself; attempts are written by `Deliver`. */
export interface QueueLog {
  addOutcome(outcome: UnattemptedOutcome): Promise<void>
  /** Allows another attempt of a message whose outcome is uncertain. */
  releaseUncertain(messageKey: string): Promise<void>
}

export interface QueueLogOptions {
  storage: Storage
  clock: Clock
  processId: string
  onUnattempted?: OnUnattempted
}

export function createQueueLog({
  storage,
  clock,
  processId,
  onUnattempted,
}: QueueLogOptions): QueueLog {
  const db = storage.tables<DeliveryTables>()
  return {
    async addOutcome(outcome) {
      const row = createOutcomeRow(outcome, { startedAt: clock.now(), processId })
      await db.insertInto('deliveries').values(row).execute()
      onUnattempted?.(row)
    },
    async releaseUncertain(messageKey) {
      const original = await findOriginal(db, [messageKey])
      if (original?.outcome === 'uncertain') await releaseKeys(db, [original])
    },
  }
}

/** Creates the row of the delivery log. */
export function createOutcomeRow(
  { outcome, message, address, reason }: UnattemptedOutcome,
  about: { startedAt: number; processId: string },
): Omit<DeliveryRow, 'id'> {
  return {
    ...emptyDelivery({ source: sourceOf(message), caller: message.caller, ...about }),
    sender: message.sender,
    recipient: address,
    recipient_key: emailKey(address),
    mautic_id: message.mautic_id,
    email_id: message.email_id,
    contact_id: message.contact_id,
    broadcast_id: message.broadcast_id,
    message_id: message.message_id,
    outcome,
    duration_ms: 0,
    reason: storableText(reason),
  }
}

function sourceOf({
  broadcast_id,
  rendered,
}: UnattemptedOutcome['message']): DeliveryRow['source'] {
  if (broadcast_id !== null) return 'broadcast'
  return rendered === null ? 'smtp' : 'api'
}
