import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface TransportRow extends RecordRow {
  name: string
  /** See `nameKey`. */
  name_key: string
  description: string | null
  /** Sealed by the keyring: it holds credentials. */
  mailer_dsn: string
  tested_email_from: string | null
}

export type TransportTables = {
  transports: RecordTable<TransportRow>
}
