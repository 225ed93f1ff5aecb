import type { Generated } from 'kysely'

/** One captured message. Its source is personal data, and sealed like every secret. */
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
  /** `<key id>.<base64>`, last: SQLite reads a row up to the columns that it is asked for. */
  source: string
}

export type InboxTables = { inbox_messages: Omit<InboxRow, 'id'> & { id: Generated<number> } }
