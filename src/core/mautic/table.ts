import { type ColumnDefinitionBuilder, type Generated, type Kysely, sql } from 'kysely'
import { addLoginRules } from '../../platform/auth/index.ts'
import { addOutboxColumns, type OutboxRow } from '../../platform/outbox/index.ts'
import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  type DatabaseFeatures,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { mauticRecord } from './mautic-fields.ts'

/** A connected Mautic. Its emails, users and contacts have ids of its own. */
export interface MauticRow extends RecordRow, ColumnsOf<typeof mauticRecord> {
  /** Its OAuth client; null if a user and password are used. */
  client_id: string | null
  /** The secret of the client or the password of the user, encrypted. */
  secret: string
  username: string | null
  /** The user name of its SMTP log-in: 32 hexadecimal digits. */
  smtp_login: string
  /** SHA-256 in hex: the password has 256 random bits. */
  smtp_password_hash: string
  /** The secret that signs its webhooks, encrypted; null without a webhook. */
  webhook_secret: string | null
}

/** Up to which time the refusals of a Mautic were tagged. */
interface MauticTagMarkRow {
  mautic_id: number
  /** Milliseconds since the epoch. */
  reached_at: number
}

/** What the last synchronization found, and when the next one is due: a row of an outbox, with the id of its Mautic. */
export interface MauticStateRow extends OutboxRow {
  mautic_id: number
  /** When changed emails and users were last read. */
  polled_at: number | null
  /** When all emails and users were last read. */
  synchronized_at: number | null
  /** Since when there is this problem. */
  problem_since: number | null
  /** Whether its ids mean other emails or users than before. Nothing is read until a person accepts that. */
  is_reinstalled: boolean
}

/** What the emails and users of a Mautic have in common. */
export interface MirrorRow {
  mautic_id: number
  /** Mautic's id. */
  id: number
  is_published: boolean
  /** In milliseconds since the epoch, by Mautic's clock; null if it does not say. */
  date_added: number | null
  date_modified: number | null
  search_text: string
}

/** An email of a Mautic. */
export interface MauticEmailRow extends MirrorRow {
  name: string
  subject: string
  /** See `subjectKey`. */
  subject_key: string
  /** Whether it is for contacts on the Do not contact list, too; null where Mautic does not say, as before version 7. */
  send_to_dnc: boolean | null
}

/** A user of a Mautic, who may own contacts. */
export interface MauticUserRow extends MirrorRow {
  username: string
  email: string
  /** Normalized. */
  email_key: string
  first_name: string
  last_name: string
}

/** A message that a Mautic has sent to one of its contacts, by the tracking hash that it carries. */
export interface MauticSendRow {
  mautic_id: number
  hash: string
  email_id: number | null
  contact_id: number | null
  /** The address that it was sent to, normalized. */
  address_key: string
  created_at: number
}

/** A domain from which a Mautic has sent. */
export interface MauticDomainRow {
  mautic_id: number
  /** See `domainOf` of the suppressions. */
  domain: string
  /** The entries of the Do not contact list with a `seq` up to this one are applied to the domain. */
  applied_to: number
}

/** The webhook that Mailyard created in a Mautic. Its secret is in `mautics`. */
export interface MauticWebhookRow {
  mautic_id: number
  /** Mautic's id of it. */
  hook_id: number
  url: string
  /** Whether it was created although Mailyard does not reach itself at its address. */
  accepts_unproven: boolean
  /** What is wrong with it, in a sentence; null if nothing is. */
  problem: string | null
  problem_since: number | null
  created_at: number
  /** When the last change came; null: none has come. */
  arrived_at: number | null
  /** Since when a change is expected that reading the list has found; null: none is. */
  expected_since: number | null
}

/** The last change of a contact's entry that a webhook has brought, so that no earlier one is taken over after it. */
export interface MauticEventRow {
  mautic_id: number
  /** SHA-256 of the contact and its address, in hex. */
  hash: string
  created_at: number
  /** By Mautic's clock. */
  changed_at: number
  status: string
}

/** A report to a Mautic, for its Do not contact list or a tag: one for each address and reason. */
export interface MauticReportRow extends OutboxRow {
  mautic_id: number
  /** The contact that the message was for; null if that is not known. */
  contact_id: number | null
  address: string
  /** Normalized. */
  address_key: string
  email_id: number | null
  /** Mautic's numbers: 1 unsubscribed, 2 bounced, 3 manual. 0: refused, for the tag. */
  reason: number
  comments: string
  /** Whether the entry is taken off the list: its suppression was deleted. */
  is_removal: boolean
}

/** How far the Do not contact list of a Mautic was read. Times are the database's. */
export interface MauticListRow {
  mautic_id: number
  /** The highest `seq` of its entries. */
  seq: number
  /** The last id that the full reading has read; null if none is in progress. */
  after_id: number | null
  /** When that reading began. */
  started_at: number | null
  /** Since when entries may not have been read; null: the list was never read to its end. */
  read_at: number | null
  /** The last id whose address was read again. */
  address_after: number
  /** How many entries are gone and stay in force for now; see `DoNotContactList`. */
  held: number
  /** The brand that entries were applied to last, and up to which `seq`; see `noBrand`. */
  applied_brand: number
  applied_to: number
}

/** An entry of a Mautic's Do not contact list for email. */
export interface MauticListEntryRow {
  mautic_id: number
  /** Mautic's id. */
  id: number
  contact_id: number
  /** The address of the contact, normalized; empty if it has none. */
  address_key: string
  /** Mautic's number; see `reportReasons`. */
  reason: number
  /** By Mautic's clock. */
  added_at: number
  /** Higher for what was found or changed later. */
  seq: number
  /** Whether Mailyard itself has reported it: it is never applied. */
  is_reported: boolean
  /** Since when a full reading does not find it; null if it is there. */
  missing_since: number | null
}

/** That an address was taken off a Mautic's Do not contact list: what was read before then is out of date. */
export interface MauticListRemovalRow {
  mautic_id: number
  address_key: string
  /** By the database's clock. */
  removed_at: number
}

type ListDefaults = 'seq' | 'address_after' | 'held' | 'applied_brand' | 'applied_to'

export type MauticTables = {
  mautics: RecordTable<MauticRow>
  mautic_states: MauticStateRow
  mautic_emails: MauticEmailRow
  mautic_users: MauticUserRow
  mautic_sends: MauticSendRow
  mautic_domains: Omit<MauticDomainRow, 'applied_to'> & { applied_to: Generated<number> }
  mautic_webhooks: MauticWebhookRow
  mautic_events: MauticEventRow
  mautic_reports: Omit<MauticReportRow, 'id' | 'is_removal'> & {
    id: Generated<number>
    is_removal: Generated<boolean>
  }
  mautic_tag_marks: MauticTagMarkRow
  mautic_lists: Omit<MauticListRow, ListDefaults> & {
    [Column in ListDefaults]: Generated<MauticListRow[Column]>
  }
  mautic_list_entries: MauticListEntryRow
  mautic_list_removals: MauticListRemovalRow
}

/** The columns of a table by their types, besides `mautic_id`. */
interface TableShape {
  texts?: readonly string[]
  numbers?: readonly string[]
  flags?: readonly string[]
  /** Numbers that are 0 at first. */
  counts?: readonly string[]
  optionalTexts?: readonly string[]
  optionalNumbers?: readonly string[]
  optionalFlags?: readonly string[]
  /** The columns of the primary key. Default: `mautic_id`. */
  key?: readonly string[]
}

const mirrorShape = {
  numbers: ['id'],
  flags: ['is_published'],
  optionalNumbers: ['date_added', 'date_modified'],
  key: ['mautic_id', 'id'],
}

/** The tables but those that clients see records of, and those of an outbox. */
const shapes = {
  mautic_emails: {
    ...mirrorShape,
    texts: ['name', 'subject', 'subject_key', 'search_text'],
    optionalFlags: ['send_to_dnc'],
  },
  mautic_users: {
    ...mirrorShape,
    texts: ['username', 'email', 'email_key', 'first_name', 'last_name', 'search_text'],
  },
  mautic_sends: {
    texts: ['hash', 'address_key'],
    numbers: ['created_at'],
    optionalNumbers: ['email_id', 'contact_id'],
    key: ['mautic_id', 'hash'],
  },
  mautic_domains: { texts: ['domain'], counts: ['applied_to'], key: ['mautic_id', 'domain'] },
  mautic_events: {
    texts: ['hash', 'status'],
    numbers: ['created_at', 'changed_at'],
    key: ['mautic_id', 'hash'],
  },
  mautic_webhooks: {
    texts: ['url'],
    numbers: ['hook_id', 'created_at'],
    flags: ['accepts_unproven'],
    optionalTexts: ['problem'],
    optionalNumbers: ['problem_since', 'arrived_at', 'expected_since'],
  },
  mautic_lists: {
    counts: ['seq', 'address_after', 'held', 'applied_brand', 'applied_to'],
    optionalNumbers: ['after_id', 'started_at', 'read_at'],
  },
  mautic_list_entries: {
    texts: ['address_key'],
    numbers: ['id', 'contact_id', 'reason', 'added_at', 'seq'],
    flags: ['is_reported'],
    optionalNumbers: ['missing_since'],
    key: ['mautic_id', 'id', 'contact_id'],
  },
  mautic_list_removals: {
    texts: ['address_key'],
    numbers: ['removed_at'],
    key: ['mautic_id', 'address_key'],
  },
  mautic_tag_marks: { numbers: ['reached_at'] },
} satisfies Record<string, TableShape>

/** The tables of connected Mautics. The rows of a Mautic are deleted with it. */
export const mauticMigrations: Migrations = {
  async '00.01.00_20_mautics'(db, database) {
    await createMautics(db, database)
    await createReports(db, database)
    await createStates(db)
    for (const name of Object.keys(shapes)) await createTable(db, name as keyof typeof shapes)
    for (const [table, ...columns] of indexes)
      await db.schema
        .createIndex([table, ...columns].join('_'))
        .on(table)
        .columns(columns)
        .execute()
    await sql`create index mautic_list_entries_missing on mautic_list_entries (mautic_id)
      where missing_since is not null`.execute(db)
    for (const table of ['mautics', 'mautic_emails', 'mautic_users'])
      await database.createSearchIndex(db, table)
  },
}

async function createTable(db: Kysely<unknown>, name: keyof typeof shapes): Promise<void> {
  const shape: TableShape = shapes[name]
  const { key } = shape
  let table = db.schema
    .createTable(name)
    .addColumn('mautic_id', 'bigint', (column) =>
      key === undefined ? mauticId(column).primaryKey() : mauticId(column),
    )
  for (const [columns = [], type, build] of [
    [shape.numbers, 'bigint', notNull],
    [shape.texts, 'text', notNull],
    [shape.flags, 'boolean', notNull],
    [shape.counts, 'bigint', zero],
    [shape.optionalTexts, 'text'],
    [shape.optionalNumbers, 'bigint'],
    [shape.optionalFlags, 'boolean'],
  ] as const)
    for (const column of columns) table = table.addColumn(column, type, build)
  if (key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
  await table.execute()
}

async function createMautics(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await createRecordTable(db, database, 'mautics')
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('url', 'text', notNull)
    .addColumn('client_id', 'text')
    .addColumn('secret', 'text', notNull)
    .addColumn('username', 'text')
    .addColumn('transport_id', 'bigint', (column) =>
      column.references('transports.id').onDelete('set null'),
    )
    .addColumn('smtp_mode', 'text')
    .addColumn('hosts', 'text', notNull)
    .addColumn('role_map', 'text', notNull)
    .addColumn('is_reporting', 'boolean', notNull)
    .addColumn('smtp_login', 'text', (column) => column.notNull().unique())
    .addColumn('smtp_password_hash', 'text', notNull)
    .addColumn('webhook_secret', 'text')
    .addColumn('is_tagging', 'boolean', (column) => column.notNull().defaultTo(false))
    .$call(addBrand)
    .$call(addLoginRules)
    .execute()
}

async function createReports(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await database
    .createTableWithId(db, 'mautic_reports')
    .addColumn('mautic_id', 'bigint', mauticId)
    .addColumn('contact_id', 'bigint')
    .addColumn('address', 'text', notNull)
    .addColumn('address_key', 'text', notNull)
    .addColumn('email_id', 'bigint')
    .addColumn('reason', 'bigint', notNull)
    .addColumn('comments', 'text', notNull)
    .addColumn('is_removal', 'boolean', (column) => column.notNull().defaultTo(false))
    .$call(addOutboxColumns)
    .addUniqueConstraint('mautic_reports_key', ['mautic_id', 'address_key', 'reason'])
    .execute()
}

async function createStates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mautic_states')
    .addColumn('mautic_id', 'bigint', (column) => mauticId(column).primaryKey())
    .addColumn('id', 'bigint', notNull)
    .$call(addOutboxColumns)
    .addColumn('is_reinstalled', 'boolean', notNull)
    .addColumn('polled_at', 'bigint')
    .addColumn('synchronized_at', 'bigint')
    .addColumn('problem_since', 'bigint')
    .execute()
}

const notNull = (column: ColumnDefinitionBuilder) => column.notNull()
const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0)
const mauticId = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('mautics.id').onDelete('cascade')

const indexes: readonly [table: string, ...columns: string[]][] = [
  ['mautic_emails', 'mautic_id', 'date_modified'],
  ['mautic_emails', 'mautic_id', 'date_added'],
  ['mautic_emails', 'mautic_id', 'subject_key'],
  ['mautic_users', 'mautic_id', 'email_key'],
  ['mautic_sends', 'created_at'],
  ['mautic_events', 'created_at'],
  ['mautic_reports', 'mautic_id', 'state', 'due_at'],
  ['mautic_reports', 'state', 'due_at'],
  ['mautic_list_entries', 'mautic_id', 'address_key'],
  ['mautic_list_entries', 'mautic_id', 'seq'],
]
