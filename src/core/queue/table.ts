import { type Generated, type Kysely, sql } from 'kysely'
import {
  addBrand,
  type DatabaseFeatures,
  indexBrands,
  type Migrations,
} from '../../platform/storage/index.ts'
import type { Lane } from '../delivery/index.ts'
import type { BrakeReason } from './brakes/brake-windows.ts'
import type { QueueState } from './shown-state.ts'

/** A message that Mailyard has taken responsibility for, until each of its recipients has an outcome. It is never updated. */
export interface QueueMessageRow {
  id: number
  /** Milliseconds since the epoch. */
  created_at: number
  /** When delivery is given up. */
  expires_at: number
  lane: Lane
  /** The name of the sender's account. */
  caller: string
  /** JSON: `Submitter`. */
  submitter: string
  /** Empty for a notification. */
  sender: string
  message_id: string | null
  /** See `DeliveryRow.subject`. */
  subject: string | null
  /** See `DeliveryRow.mautic_id`. */
  mautic_id: number
  email_id: number | null
  contact_id: number | null
  /** JSON: `RenderedEmailFacts`; null for a message over SMTP. */
  rendered: string | null
  size_bytes: number
  /** The data key that the body is encrypted under. */
  key_id: string
  /** The message as it was submitted, encrypted. */
  body: Uint8Array
}

export interface QueueRecipientRow {
  id: number
  message_id: number
  address: string
  /** The address, normalized for searches. */
  address_key: string
  state: QueueState
  lane: Lane
  /** The transport that the last attempt chose; see `noTransport`, `defaultTransport` and `unansweredTransport`. */
  transport_id: number
  due_at: number
  created_at: number
  attempts: number
  /** The process that is sending it. */
  claimed_by: string | null
  /** Why it was not delivered, as the reply to the last attempt: `451 4.3.5 …`; null before the first. */
  problem: string | null
  /** Identify the message when it is submitted again; see `createMessageKeys`. */
  message_key: string
  bulk_key: string | null
  /** The brake that holds it, or that it is sent in spite of, to try; null if there is none. */
  brake_id: number | null
  /**
   * The route that it waits for: the transport that could not be used, `defaultTransport`, `noTransport` if there is none for
   * it, `unansweredTransport` while its Mautic has not answered, or `reachedLimit`. Null if it waits for none: it is new, it is
   * being sent, or its server has refused it for now. See `RouteWaker`.
   */
  waits_for: number | null
  /** The brand of its message; `noBrand` also while the transport decides about it. */
  brand_id: number
  /** The name of who has decided that it is sent without the answer of its Mautic; null if no one has. */
  decided_by: string | null
}

/** The brake of a group that holds its messages, or held them until a person continued; see `BrakedGroup`. */
export interface QueueBrakesTable {
  id: Generated<number>
  /** See `DeliveryRow.mautic_id`. */
  mautic_id: number
  brand_id: Generated<number>
  sender_domain: string
  transport_id: number
  kind: BrakeReason['kind']
  messages: number
  affected: number
  /** Null once a person has continued. */
  braked_at: number | null
  continued_at: Generated<number | null>
}

/** A transport whose messages a person holds; see `TransportHolds`. */
export interface QueueHoldsTable {
  /** See `defaultTransport`. */
  transport_id: number
  held_by: string
  held_at: number
}

/** What the sender of a message will be notified of, for a recipient that is done. */
export interface QueueNoticesTable {
  id: Generated<number>
  message_id: number
  /** JSON: `FailedRecipient`. */
  status: string
}

/** On SQLite, the size of all messages together, in one row: triggers keep it. */
interface QueueSizeRow {
  bytes: number
}

export type QueueTables = {
  queue_size: QueueSizeRow
  queue_messages: Omit<QueueMessageRow, 'id' | 'subject' | 'mautic_id'> & {
    id: Generated<number>
    subject: Generated<string | null>
    mautic_id: Generated<number>
  }
  queue_recipients: Omit<
    QueueRecipientRow,
    'id' | 'brake_id' | 'waits_for' | 'decided_by' | 'brand_id'
  > & {
    id: Generated<number>
    brake_id: Generated<number | null>
    waits_for: Generated<number | null>
    decided_by: Generated<string | null>
    brand_id: Generated<number>
  }
  queue_brakes: QueueBrakesTable
  queue_holds: QueueHoldsTable
  queue_notices: QueueNoticesTable
}

/** The tables of queued messages with their recipients, brakes, holds and notices. */
export const queueMigrations: Migrations = {
  async '00.01.00_31_queue'(db, database) {
    await createQueue(db, database)
    await createQueueHolds(db)
    await createQueueBrakes(db, database)
    await createQueueNotices(db, database)
  },
}

async function createQueue(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await database
    .createTableWithId(db, 'queue_messages')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('submitter', 'text', (column) => column.notNull())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('message_id', 'text')
    .addColumn('subject', 'text')
    .addColumn('mautic_id', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('email_id', 'bigint')
    .addColumn('contact_id', 'bigint')
    .addColumn('rendered', 'text')
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('body', database.bytesType, (column) => column.notNull())
    .execute()
  await database
    .createTableWithId(db, 'queue_recipients')
    .addColumn('message_id', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('address_key', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('transport_id', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('claimed_by', 'text')
    .addColumn('problem', 'text')
    .addColumn('message_key', 'text', (column) => column.notNull().unique())
    .addColumn('bulk_key', 'text', (column) => column.unique())
    .addColumn('brake_id', 'bigint')
    .addColumn('waits_for', 'bigint')
    .addColumn('decided_by', 'text')
    .$call(addBrand)
    .execute()
  // The first index finds what is due, and counts by state, transport and lane.
  await db.schema
    .createIndex('queue_recipients_due')
    .on('queue_recipients')
    .columns(['state', 'transport_id', 'lane', 'due_at'])
    .execute()
  for (const column of ['message_id', 'address_key'])
    await db.schema
      .createIndex(`queue_recipients_${column}`)
      .on('queue_recipients')
      .column(column)
      .execute()
  await sql`create index queue_recipients_claimed_by on queue_recipients (claimed_by)
    where claimed_by is not null`.execute(db)
  await sql`create index queue_recipients_brake_id on queue_recipients (brake_id)
    where brake_id is not null`.execute(db)
  await sql`create index queue_recipients_waits_for on queue_recipients (waits_for, id)
    where waits_for is not null`.execute(db)
  await indexBrands(db, 'queue_recipients')
  if (database.runsInProcess) await createQueueSize(db)
}

async function createQueueBrakes(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await database
    .createTableWithId(db, 'queue_brakes')
    .addColumn('mautic_id', 'bigint', (column) => column.notNull().defaultTo(0))
    .$call(addBrand)
    .addColumn('sender_domain', 'text', (column) => column.notNull())
    .addColumn('transport_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('messages', 'bigint', (column) => column.notNull())
    .addColumn('affected', 'bigint', (column) => column.notNull())
    .addColumn('braked_at', 'bigint')
    .addColumn('continued_at', 'bigint')
    .addUniqueConstraint('queue_brakes_once', [
      'mautic_id',
      'brand_id',
      'sender_domain',
      'transport_id',
    ])
    .execute()
}

async function createQueueNotices(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await database
    .createTableWithId(db, 'queue_notices')
    .addColumn('message_id', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('queue_notices_message_id')
    .on('queue_notices')
    .column('message_id')
    .execute()
}

async function createQueueHolds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('queue_holds')
    .addColumn('transport_id', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('held_by', 'text', (column) => column.notNull())
    .addColumn('held_at', 'bigint', (column) => column.notNull())
    .execute()
}

/** Summing up a million messages would block the process. In a shared database the triggers of all processes would wait for each other. */
async function createQueueSize(db: Kysely<unknown>): Promise<void> {
  await sql`create table queue_size (bytes integer not null)`.execute(db)
  await sql`insert into queue_size (bytes) values (0)`.execute(db)
  await sql`create trigger queue_messages_added after insert on queue_messages for each row
    begin update queue_size set bytes = bytes + new.size_bytes; end`.execute(db)
  await sql`create trigger queue_messages_removed after delete on queue_messages for each row
    begin update queue_size set bytes = bytes - old.size_bytes; end`.execute(db)
}
