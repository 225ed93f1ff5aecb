import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migrations } from '../../platform/storage/index.ts'
import type { Verdict } from './schema.ts'

/** What `transport_id` is for the configured default, as in the delivery log. */
export const defaultTransportId = 0

/** A From domain, and what its messages were sent through. */
export interface SenderUseRow {
  domain: string
  /** See `defaultTransportId`. */
  transport_id: number
  /** The brand of the messages; `noBrand` for none. */
  brand_id: number
  last_used_at: number
  /** The last envelope domain that was another one. */
  other_envelope: string | null
  other_envelope_at: number | null
}

/** The last check of a From domain and a transport. */
export interface SenderCheckRow {
  domain: string
  transport_id: number
  brand_id: number
  verdict: Verdict
  sentence: string
  /** JSON: `MissingStep`, or null. */
  missing: string
  /** JSON: `SenderMember[]`. */
  members: string
  /** JSON: `SenderDmarc`. */
  dmarc: string
  policy: string | null
  checked_at: number
}

export type SenderTables = {
  sender_uses: SenderUseRow
  sender_checks: SenderCheckRow
}

const checkColumns = ['verdict', 'sentence', 'missing', 'members', 'dmarc']

export const senderMigrations: Migrations = {
  async '00.01.00_44_senders'(db) {
    await createSenderTable(db, 'sender_uses')
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .addColumn('other_envelope', 'text')
      .addColumn('other_envelope_at', 'bigint')
      .execute()
    let checks = createSenderTable(db, 'sender_checks')
    for (const name of checkColumns)
      checks = checks.addColumn(name, 'text', (column) => column.notNull())
    await checks
      .addColumn('policy', 'text')
      .addColumn('checked_at', 'bigint', (column) => column.notNull())
      .execute()
    for (const [table, column] of [
      ['sender_uses', 'last_used_at'],
      ['sender_checks', 'transport_id'],
    ] as const)
      await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
  },
}

/** Creates a table with one row for each From domain, transport and brand. */
function createSenderTable(db: Kysely<unknown>, name: string): CreateTableBuilder<string, string> {
  let table: CreateTableBuilder<string, string> = db.schema
    .createTable(name)
    .addColumn('domain', 'text', (column) => column.notNull())
  for (const column of ['transport_id', 'brand_id'])
    table = table.addColumn(column, 'bigint', (each) => each.notNull())
  return table.addPrimaryKeyConstraint(`${name}_key`, ['domain', 'transport_id', 'brand_id'])
}
