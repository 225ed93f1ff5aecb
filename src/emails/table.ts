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
  /** Whether subject and bodies are Twig templates themselves. */
  is_twig: boolean
}

export type EmailTables = {
  emails: RecordTable<EmailRow>
}
