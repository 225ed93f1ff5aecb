import type { Generated } from 'kysely'

/** What became of a delivery; `started` while nobody knows yet. */
export type DeliveryOutcome = 'started' | 'accepted' | 'refused' | 'uncertain'

/** One attempt to deliver one message to one recipient. No body and no secret is in it. */
export interface DeliveryRow {
  id: number
  /** Milliseconds since the epoch. */
  started_at: number
  duration_ms: number | null
  /** Which door it came by. */
  source: 'api' | 'job' | 'smtp'
  caller: string
  email_id: number | null
  contact_id: number | null
  sending_id: number | null
  sender: string
  recipient: string
  /** Folded, for finding it. */
  recipient_key: string
  /** Null for the configured default, and where there was none. */
  transport_id: number | null
  /** Its name, as it was then. */
  transport: string | null
  /** Scheme, host and port of what took or refused it. */
  member: string | null
  outcome: DeliveryOutcome
  is_permanent: boolean | null
  /** The server's last word: `550 5.1.1 no such user`. */
  reply: string | null
  /** Why, in a sentence; null when accepted. */
  reason: string | null
  message_id: string | null
  /** The server's own id for the message. */
  provider_id: string | null
  /** What the same message, handed in again, is known by; null once it may be sent again. */
  message_key: string | null
  /** What the same bulk email to the same recipient is known by. */
  bulk_key: string | null
  /** What was asked for with an Idempotency-Key, to tell another request with the same key. */
  request_hash: string | null
  /** Which process is at it. */
  process_id: string
  /** JSON: how its way was found. */
  trace: string
}

/** A process that sends, and when it was last seen alive. */
export interface ProcessRow {
  id: string
  seen_at: number
  /** The sending whose email it renders just now: should it die, the sending is paused. */
  rendering: number | null
}

export type DeliveryTables = {
  deliveries: Omit<DeliveryRow, 'id'> & {
    id: Generated<number>
    /** When the sender of a message without a Message-ID was answered 250; see `Acknowledgements`. */
    acknowledged_at: Generated<number | null>
  }
  sending_processes: ProcessRow
}
