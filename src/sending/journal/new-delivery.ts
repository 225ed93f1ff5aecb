import type { DeliveryRow } from '../table.ts'
import type { WayStep } from '../way/way.ts'

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
  /** See `DeliveryRow.request_hash`. */
  requestHash: string | null
  trace: readonly WayStep[]
}

/** One recipient, and what the same message to him is known by when it is handed in again. */
export interface JournalRecipient {
  address: string
  messageKey: string | null
  bulkKey: string | null
}

/** What is known of an earlier delivery of the same message to the same recipient. */
export type Earlier = Pick<DeliveryRow, 'id' | 'outcome' | 'started_at' | 'reply' | 'request_hash'>

/** A recipient who has, or may have, had the message before. */
export interface Known {
  address: string
  earlier: Earlier
}

/** What may be sent now, recipient by recipient. */
export type Admission =
  /** Written down; it may be sent. */
  | { state: 'begun'; id: number; address: string }
  /** Another delivery of it stands in the way. */
  | ({ state: 'known' } & Known)
