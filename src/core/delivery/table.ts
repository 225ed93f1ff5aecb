import { type Generated, sql } from 'kysely'
import type { OfBrand } from '../../kit/caller.ts'
import type { ReplyClass } from '../../libraries/mailer/index.ts'
import type { CountedEvent, DeliveryEventType } from './events.ts'
import { type DeliveryOutcome, refusalOutcomes } from './outcomes.ts'

/**
 * What `transport_id` is without a transport, in deliveries, their counts and the queue: the configured default, and none. A
 * queued recipient has none before its first attempt.
 */
export const defaultTransport = 0
export const noTransport = -1
/** What `transport_id` is in the queue while a Mautic has not answered what decides about the transport. */
export const unansweredTransport = -2

/** Retention drops its old months. */
export const deliveriesByMonth = { name: 'deliveries', time: 'started_at' }
export const deliveryEventsByMonth = { name: 'delivery_events', time: 'started_at' }

/** Whether a value of `transport_id` is the id of a transport. */
export function isTransport(transportId: number): boolean {
  return transportId > defaultTransport
}

/** How a message can be submitted. */
export const deliverySources = ['api', 'smtp'] as const

/** Transactional messages are sent first; bulk messages get a fixed share, so that they never starve. */
export type Lane = 'transactional' | 'bulk'

/** One attempt to deliver one message to one recipient. It contains no body and no secret. */
export interface DeliveryRow {
  id: number
  /** Milliseconds since the epoch. */
  started_at: number
  duration_ms: number | null
  /** How it was submitted: a single send of the API, or SMTP. */
  source: (typeof deliverySources)[number]
  caller: string
  /** The Mautic that it came from, and whose ids `email_id` and `contact_id` are; 0 for Mailyard's own. */
  mautic_id: number
  /** The brand of the message; `noBrand` for none. */
  brand_id: number
  /** Whether it was in the lane `bulk`: see `BulkBrakes`. */
  is_bulk: boolean
  email_id: number | null
  contact_id: number | null
  sender: string
  recipient: string
  /** The recipient, normalized for searches. */
  recipient_key: string
  /** See `noTransport` and `defaultTransport`. */
  transport_id: number
  /** The name that the transport had then. */
  transport: string | null
  /** Scheme, host and port of the member that accepted or refused it. */
  member: string | null
  outcome: DeliveryOutcome
  /** The server's last reply: `550 5.1.1 no such user`. */
  reply: string | null
  /** What the reply is about. Null when accepted, and without a reply; inserted absent. */
  class?: ReplyClass | null
  /** Why, in a sentence; null when accepted. */
  reason: string | null
  message_id: string | null
  /** Decoded, at most 255 characters; null if it has none, or was never composed. */
  subject: string | null
  /** The server's own id for the message. */
  provider_id: string | null
  /** The hash of a request with an Idempotency-Key, to detect another request with the same key. */
  request_hash: string | null
  /** The process that sends it. */
  process_id: string
  /** JSON: how its route was chosen. */
  trace: string
  /** The gravest event of it. Null, and in the rows that are inserted absent, without any. */
  event?: DeliveryEventType | null
}

/** What a provider said of a delivery after it accepted the message. */
export interface DeliveryEventRow {
  id: number
  delivery_id: number
  /** The time of the delivery, which finds its partition. */
  started_at: number
  /** The transport of the delivery. */
  transport_id: number
  type: DeliveryEventType
  /** Of `bounced`: whether the address cannot be delivered to for good. */
  class: 'hard' | 'soft' | null
  /** When it happened, as the provider says. Milliseconds since the epoch. */
  at: number
  received_at: number
  /** The words of the recipient's server, else those of the provider. */
  reason: string | null
  /** The name of the provider; that of the mail server where it came by mail. */
  provider: string
  source: 'webhook' | 'mail'
  /** Whether the provider named no message, so that it is the last one to this recipient. */
  is_guess: boolean
  /** Whether it is the first one of its type for the delivery: only those are counted. */
  is_first: boolean
  /** Unique for the delivery: an event that is repeated has the same. */
  event_key: string
}

/**
 * A key that identifies a message when it is submitted again. The delivery that has it is the only one; the row is removed
 * once the message may be sent again.
 */
export interface DeliveryKeyRow {
  key: string
  /**
   * Of a message: by its Message-ID, or by its content where it has none. Of a request of the API with an
   * Idempotency-Key: by that. `bulk`: of the same bulk email to the same recipient.
   */
  kind: 'message' | 'content' | 'request' | 'bulk'
  delivery_id: number
  /** The time of the delivery, which finds its partition. */
  started_at: number
  /** When a message without a Message-ID was answered 250; see `openAcknowledgements`. */
  acknowledged_at: number | null
}

/** A process that sends, and the time of its last heartbeat. */
export interface ProcessRow {
  id: string
  seen_at: number
  /** Null until its first heartbeat. */
  host: string | null
  pid: number | null
  version: string | null
  started_at: number | null
}

/** Deliveries that started in one span, through one transport, from one source, with one outcome or event. */
export interface DeliveryCountRow {
  /** The id of a transport, `defaultTransport`, `noTransport`, or `everyTransport`. */
  transport_id: number
  /** The brand that is counted; 0: the sum of all deliveries. */
  brand_id: number
  /** A minute or an hour. */
  span_ms: number
  /** When the span starts. */
  started_at: number
  source: DeliveryRow['source']
  /** An outcome, or an event: see `countedAs`. */
  outcome: DeliveryRow['outcome'] | CountedEvent
  count: number
}

/** A change of the counts that is not in `delivery_counts` yet; its time is that of a minute. */
interface DeliveryCountChangeRow
  extends Pick<DeliveryCountRow, 'transport_id' | 'started_at' | 'source' | 'outcome'> {
  id: number
  /** The brand of the deliveries; `noBrand` for none. */
  brand_id: number
  change: number
}

export type DeliveryTables = {
  deliveries: Omit<DeliveryRow, 'id' | 'mautic_id' | 'brand_id' | 'is_bulk' | 'event' | 'class'> & {
    id: Generated<number>
    mautic_id: Generated<number>
    brand_id: Generated<number>
    is_bulk: Generated<boolean>
    event: Generated<DeliveryEventType | null>
    class: Generated<ReplyClass | null>
    /** Whether the refusal of its address was reported to its Mautic. */
    is_bounced: Generated<boolean>
  }
  delivery_keys: Omit<DeliveryKeyRow, 'acknowledged_at'> & {
    acknowledged_at: Generated<number | null>
  }
  delivery_events: Omit<DeliveryEventRow, 'id'> & { id: Generated<number> }
  delivery_processes: ProcessRow
  delivery_counts: Omit<DeliveryCountRow, 'brand_id'> & { brand_id: Generated<number> }
  /** Triggers of `deliveries` write it. */
  delivery_count_changes: Omit<DeliveryCountChangeRow, 'id' | 'brand_id'> & {
    id: Generated<number>
    brand_id: Generated<number>
  }
}

/** The outcome of a delivery that was given to no transport: suppressed, expired or cancelled. */
export type UnattemptedDelivery = Pick<DeliveryRow, 'source' | 'outcome'> & Partial<OfBrand>

/** Called when such an outcome was written, for the metrics. It must not throw. */
export type OnUnattempted = ((delivery: UnattemptedDelivery) => void) | undefined

/**
 * Whether a delivery is a refusal of a Mautic's message that was not reported to its Do not contact list as a bounce.
 * The index `deliveries_refusals` has this condition: a query that has it word for word is read from that index.
 */
export const isRefusal = `mautic_id <> 0 and not is_bounced
  and outcome in (${refusalOutcomes.map((each) => `'${each}'`).join(', ')})`

/** See `isRefusal`. */
export const isRefusalOf = (mauticId: number) =>
  sql<boolean>`mautic_id = ${mauticId} and ${sql.raw(isRefusal)}`
