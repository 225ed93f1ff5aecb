import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface ContactRow extends RecordRow {
  email: string | null
  /** Folded, for finding a contact by its address. */
  email_key: string | null
  /** A user. */
  owner_id: number | null
  points: number
  /** JSON: the values of the other fields that are not empty, by alias. */
  field_values: string
  /** JSON lists. */
  tags: string
  segments: string
}

/** That a contact is in a segment: for finding all of one. */
export interface ContactSegmentRow {
  segment: string
  contact_id: number
}

export type ContactTables = {
  contact_segments: ContactSegmentRow
  contacts: RecordTable<ContactRow>
}
