import type { Generated } from 'kysely'
import type { Migrations } from '../../../platform/storage/index.ts'

/** When rows are due that could not be applied for three days: after the next start. */
export const neverDue = Number.MAX_SAFE_INTEGER

/** Events of a provider that are stored and not applied yet. */
export interface ReceivedEventsRow {
  id: number
  /** The transport whose webhook received them; null: by mail. */
  transport_id: number | null
  provider: string
  received_at: number
  /** JSON: a list of `ProviderEvent`, without the ignored ones. */
  events: string
  /** The length of `events`. */
  size: number
  /** When they are applied, or looked for again. */
  due_at: number
  /** How often the messages of these events were not found. */
  attempts: number
}

export type ReceivedEventsTables = {
  received_events: Omit<ReceivedEventsRow, 'id'> & { id: Generated<number> }
}

export const receivedEventsMigrations: Migrations = {
  async '00.01.00_41_received_events'(db, database) {
    await database
      .createTableWithId(db, 'received_events')
      .addColumn('transport_id', 'bigint')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .execute()
    // How much of each transport waits is read from it alone, and its oldest row is found by it.
    const ofTransport = db.schema.createIndex('received_events_of_transport').on('received_events')
    await ofTransport.columns(['transport_id', 'due_at', 'id', 'size']).execute()
    const due = db.schema.createIndex('received_events_due').on('received_events')
    await due.columns(['due_at', 'id']).execute()
  },
}
