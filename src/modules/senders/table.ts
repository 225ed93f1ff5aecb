import { type Kysely, sql } from 'kysely'
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

export const senderMigrations: Migrations = {
  async '20261128_30_senders'(db) {
    await db.schema
      .createTable('sender_uses')
      .addColumn('domain', 'text', (column) => column.notNull())
      .addColumn('transport_id', 'bigint', (column) => column.notNull())
      .addColumn('mautic_id', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .addColumn('other_envelope', 'text')
      .addColumn('other_envelope_at', 'bigint')
      .addPrimaryKeyConstraint('sender_uses_key', ['domain', 'transport_id', 'mautic_id'] as never)
      .execute()
    const uses = db.schema.createIndex('sender_uses_last_used_at').on('sender_uses')
    await uses.column('last_used_at').execute()
    await createSenderChecks(db)
  },
  async '20261128_72_senders'(db) {
    await db.schema.dropTable('sender_proofs').ifExists().execute()
    // Its rows had reasons and records in another form. Each domain is checked again within a day.
    await createSenderChecks(db)
    await sql`delete from signing_keys where purpose in ('sender checks', 'test messages')`.execute(
      db,
    )
  },
  /** What a Mautic without a brand has sent is noted again with its next message. */
  async '20261202_14_senders_of_brands'(db) {
    await sql`delete from sender_uses where mautic_id <> 0
      and mautic_id not in (select id from mautics where brand_id <> 0)`.execute(db)
    await db.schema.alterTable('sender_uses').renameColumn('mautic_id', 'brand_id').execute()
    // In two steps: until all are replaced, the id of a brand may be that of another Mautic.
    await sql`update sender_uses
      set brand_id = -(select mautics.brand_id from mautics where mautics.id = sender_uses.brand_id)
      where brand_id <> 0`.execute(db)
    await sql`update sender_uses set brand_id = -brand_id where brand_id < 0`.execute(db)
    await createSenderChecks(db)
  },
}

/** Creates the table of checks again, which has nothing that DNS does not tell again. */
export async function createSenderChecks(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('sender_checks').ifExists().execute()
  await db.schema
    .createTable('sender_checks')
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('transport_id', 'bigint', (column) => column.notNull())
    .addColumn('brand_id', 'bigint', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('sentence', 'text', (column) => column.notNull())
    .addColumn('missing', 'text', (column) => column.notNull())
    .addColumn('members', 'text', (column) => column.notNull())
    .addColumn('dmarc', 'text', (column) => column.notNull())
    .addColumn('policy', 'text')
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('sender_checks_key', ['domain', 'transport_id', 'brand_id'] as never)
    .execute()
  const checks = db.schema.createIndex('sender_checks_transport_id').on('sender_checks')
  await checks.column('transport_id').execute()
}
