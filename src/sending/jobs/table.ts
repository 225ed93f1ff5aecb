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
  /** The segment whose contacts get it; null where they were named. */
  segment: string | null
  /** Whether all its contacts are written down; until then, how far: the last one's id. */
  is_prepared: boolean
  prepared_to: number
  /** Not before then, after the transport failed. */
  due_at: number
  total: number
  accepted: number
  refused: number
  uncertain: number
  /** Unique: what the request that made it is known by when it comes again. */
  idempotency_key: string | null
}

/** `claimed`: some process is at it, and it may have left. */
export type RecipientStatus = 'queued' | 'claimed' | 'accepted' | 'refused' | 'uncertain'

/** One contact of a sending. */
export interface SendingRecipientRow {
  sending_id: number
  contact_id: number
  email_id: number
  status: RecipientStatus
  attempts: number
  due_at: number
  claimed_by: string | null
  finished_at: number | null
}

export type SendingTables = {
  sendings: Omit<SendingRow, 'id'> & { id: Generated<number> }
  sending_recipients: SendingRecipientRow
}
