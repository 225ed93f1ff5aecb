import type { Generated } from 'kysely'

/** One captured message, without its source. */
export interface InboxRow {
  id: number
  /** Milliseconds since the epoch. */
  captured_at: number
  sender: string
  /** JSON: the recipients of the envelope. */
  recipients: string
  subject: string
  message_id: string | null
  /** Null for the operator's default, and for one that is not stored. */
  transport_id: number | null
  /** Its name, as it was then. */
  transport: string | null
  size_bytes: number
  /** Sender, recipients and subject, normalized for search. */
  search_text: string
  /** Whether all its pieces are stored. Until then, it is in no list and no answer. */
  is_complete: boolean
}

/** A piece of the source of a message. It is personal data, and sealed like every secret. */
export interface InboxPieceRow {
  message_id: number
  /** Its place in the source, from 0. */
  number: number
  /** `<key id>.<base64>`. */
  sealed: string
}

export interface InboxTables {
  inbox_messages: Omit<InboxRow, 'id'> & { id: Generated<number> }
  inbox_pieces: InboxPieceRow
}
