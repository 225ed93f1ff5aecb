import type { Generated } from 'kysely'
import { type BroadcastCounter, broadcastCounters } from '../outcomes.ts'

export const broadcastStates = ['running', 'paused', 'cancelled', 'done'] as const

/** One email to many contacts. */
export interface BroadcastRow extends Record<BroadcastCounter, number> {
  id: number
  email_id: number
  caller: string
  created_at: number
  finished_at: number | null
  state: (typeof broadcastStates)[number]
  /** Why nothing is sent, in a sentence for the person who can fix it. */
  problem: string | null
  /** The segment whose contacts get it; null if the request lists contacts. */
  segment: string | null
  /** JSON: the contacts in the request, until all of them are recipients. */
  contact_ids: string | null
  /** Whether all contacts are recipients. Until then `prepared_to` is the last contact id, or the index in `contact_ids`. */
  is_prepared: boolean
  prepared_to: number
  /** When its next recipient is due. */
  due_at: number
  total: number
  /** JSON: the number of contacts that were left out, by reason; see `Skipped`. */
  skipped: string
  /** The recipients settled in the current interval and in the one before; see `rateOf`. */
  rate_stretch: number
  rate_count: number
  rate_before: number
  /** When its brake paused it; null unless it did. See `brake.ts`. */
  braked_at: number | null
  /** What its brake counts. */
  brake_attempts: number
  brake_refused: number
  /** The seed of its Message-IDs. */
  message_seed: string
  /** Unique: identifies the request that created it when it is repeated. */
  idempotency_key: string | null
  /** The hash of that request. */
  request_hash: string | null
}

/**
 * `claimed`: a process has claimed it and sent nothing; it goes back to the queue when the process expires.
 * `attempting`: its attempt is in the delivery log; it becomes uncertain when the process expires.
 */
export const recipientStates = ['queued', 'claimed', 'attempting', ...broadcastCounters] as const
export type RecipientState = (typeof recipientStates)[number]

/** One contact of a broadcast. Both the contact and the broadcast may have been deleted. */
export interface BroadcastRecipientRow {
  email_id: number
  contact_id: number
  broadcast_id: number
  state: RecipientState
  attempts: number
  due_at: number
  /** When it was first tried; null before that. */
  tried_at: number | null
  /** The process that has claimed it; of an uncertain recipient, the process that expired. */
  claimed_by: string | null
}

export type BroadcastTables = {
  broadcasts: Omit<
    BroadcastRow,
    'id' | 'skipped' | 'braked_at' | 'brake_attempts' | 'brake_refused'
  > & {
    id: Generated<number>
    skipped: Generated<string>
    braked_at: Generated<number | null>
    brake_attempts: Generated<number>
    brake_refused: Generated<number>
  }
  broadcast_recipients: BroadcastRecipientRow
}
