import type { Generated } from 'kysely'

export type SendingStatus = 'running' | 'paused' | 'cancelled' | 'done'

/** One email to many contacts. */
export interface SendingRow {
  id: number
  email_id: number
  caller: string
  created_at: number
  finished_at: number | null
  status: SendingStatus
  /** Why it does not move, in a sentence for the person who can mend it. */
  problem: string | null
  /** The segment whose contacts get it; null where they were named. */
  segment: string | null
  /** JSON: the contacts who were named, until all are written down. */
  contact_ids: string | null
  /** Whether all its contacts are written down; until then, the last one's id, or how many of the named. */
  is_prepared: boolean
  prepared_to: number
  /** When something of it is next due. */
  due_at: number
  total: number
  /** JSON: how many contacts it left out, by the reason; see `Skipped`. */
  skipped: string
  accepted: number
  refused: number
  uncertain: number
  /** How many were settled in this stretch of time and in the one before it; see `rateOf`. */
  rate_stretch: number
  rate_count: number
  rate_before: number
  /** What its Message-IDs are made from. */
  message_seed: string
  /** Unique: what the request that made it is known by when it comes again. */
  idempotency_key: string | null
  /** What that request asked for. */
  request_hash: string | null
}

/**
 * `claimed`: a process has taken it, and nothing was sent: it goes back to the queue when the process
 * dies. `sending`: it may have left: it becomes uncertain then.
 */
export type RecipientStatus =
  | 'queued'
  | 'claimed'
  | 'sending'
  | 'accepted'
  | 'refused'
  | 'uncertain'

/** One contact of a sending. Neither contact nor sending need still be there. */
export interface SendingRecipientRow {
  email_id: number
  contact_id: number
  sending_id: number
  status: RecipientStatus
  attempts: number
  due_at: number
  /** When it was first tried; null before that. */
  tried_at: number | null
  /** Whose it is; of what is uncertain, which process died over it. */
  claimed_by: string | null
  /** The attempt that is being made, see `writeAttempt`; of no meaning unless its status is `sending`. */
  attempt: string | null
}

export type SendingTables = {
  sendings: Omit<SendingRow, 'id' | 'skipped'> & {
    id: Generated<number>
    skipped: Generated<string>
  }
  sending_recipients: SendingRecipientRow
}
