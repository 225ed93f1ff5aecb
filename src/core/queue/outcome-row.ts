import { emailKey } from '../../kit/normalize-for-search.ts'
import type { DeliveryRow } from '../delivery/index.ts'
import { emptyDelivery, storableText } from '../delivery/index.ts'
import type { QueueMessageRow } from './table.ts'

/** The end of a queued message for one recipient without an attempt. */
export interface UnattemptedOutcome {
  outcome: Extract<DeliveryRow['outcome'], 'expired' | 'cancelled'>
  message: Pick<
    QueueMessageRow,
    | 'caller'
    | 'sender'
    | 'mautic_id'
    | 'email_id'
    | 'contact_id'
    | 'message_id'
    | 'subject'
    | 'rendered'
  >
  brand: number
  address: string
  /** Why, in a sentence. */
  reason: string
}

/** Creates the row of the delivery log. */
export function createOutcomeRow(
  { outcome, message, brand, address, reason }: UnattemptedOutcome,
  about: { startedAt: number; processId: string },
): Omit<DeliveryRow, 'id'> {
  return {
    ...emptyDelivery({
      source: message.rendered === null ? 'smtp' : 'api',
      caller: message.caller,
      ...about,
    }),
    sender: message.sender,
    recipient: address,
    recipient_key: emailKey(address),
    mautic_id: message.mautic_id,
    brand_id: brand,
    email_id: message.email_id,
    contact_id: message.contact_id,
    message_id: message.message_id,
    subject: message.subject,
    outcome,
    duration_ms: 0,
    reason: storableText(reason),
  }
}
