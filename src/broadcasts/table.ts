import type { Generated } from 'kysely'
import type { BrakeRow, EventCounter } from '../delivery/index.ts'

export const broadcastStates = ['running', 'paused', 'cancelled', 'done'] as const
export type BroadcastState = (typeof broadcastStates)[number]

/** One email to many contacts. */
export interface BroadcastRow extends BrakeRow {
  id: number
  email_id: number
  caller: string
  created_at: number
  finished_at: number | null
  state: BroadcastState
  /** Why nothing is sent, in a sentence for the person who can fix it. */
  problem: string | null
  /** The segment whose contacts get it; null if the request lists contacts. */
  segment: string | null
  /** JSON: the contacts in the request, until all of them were added to the queue. */
  contact_ids: string | null
  /** Whether all contacts were added to the queue. Until then `prepared_to` is the last contact id, or the index in `contact_ids`. */
  is_prepared: boolean
  prepared_to: number
  /** Its contacts without those that were left out. Until `is_prepared`, those that the cursor has not reached are included. */
  total: number
  /** JSON: the number of contacts that were left out, by reason; see `Skipped`. */
  skipped: string
  accepted: number
  /** Refused for good, expired, or cancelled by a person. */
  refused: number
  uncertain: number
  /** Recipients whose address was suppressed when their turn came. */
  suppressed: number
  /** What providers said afterwards, once for each recipient and type; see `eventCounters`. */
  delivered: number
  bounced: number
  complained: number
  unsubscribed: number
  /** The recipients with an outcome in the current interval and in the one before; see `rateOf`. */
  rate_stretch: number
  rate_count: number
  rate_before: number
  /** The seed of its Message-IDs. */
  message_seed: string
  /** Unique: identifies the request that created it when it is repeated. */
  idempotency_key: string | null
  /** The hash of that request. */
  request_hash: string | null
}

export type BroadcastTables = {
  broadcasts: Omit<BroadcastRow, 'id' | 'skipped' | keyof BrakeRow | EventCounter> & {
    id: Generated<number>
    skipped: Generated<string>
  } & { [Column in keyof BrakeRow | EventCounter]: Generated<BroadcastRow[Column]> }
}

/** A broadcast without its list of contacts, which may be long. */
export type BroadcastSummary = Omit<BroadcastRow, 'contact_ids'>

/** The columns of `BroadcastSummary`. */
export const summaryColumns = [
  'id',
  'email_id',
  'caller',
  'created_at',
  'finished_at',
  'state',
  'problem',
  'segment',
  'is_prepared',
  'prepared_to',
  'total',
  'skipped',
  'accepted',
  'refused',
  'uncertain',
  'suppressed',
  'delivered',
  'bounced',
  'complained',
  'unsubscribed',
  'rate_stretch',
  'rate_count',
  'rate_before',
  'braked_at',
  'brake_attempts',
  'brake_refused',
  'brake_kind',
  'brake_events',
  'brake_accepted',
  'continued_at',
  'message_seed',
  'idempotency_key',
  'request_hash',
] as const satisfies (keyof BroadcastSummary)[]
