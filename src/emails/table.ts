import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface EmailRow extends RecordRow {
  name: string
  subject: string
  from_address: string | null
  from_name: string | null
  reply_to_address: string | null
  custom_html: string | null
  plain_text: string | null
  /** JSON: `{"X-Name": "value"}`. */
  headers: string
}

export type EmailTables = {
  emails: RecordTable<EmailRow>
}
