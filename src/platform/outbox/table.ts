import type { CreateTableBuilder, RawBuilder } from 'kysely'

/** What each row of an outbox has, besides the id of its target and what is sent. */
export interface OutboxRow {
  id: number
  state: 'queued' | 'done' | 'failed'
  attempts: number
  /** When it is due, or has ended. Milliseconds since the epoch. */
  due_at: number
  /** When it was queued, or last retried by a person. */
  created_at: number
  /** Why the last attempt failed. */
  problem: string | null
}

/** A table whose rows are sent to targets, such as reports to Mautics. */
export interface OutboxTable {
  name: string
  /** What the rows are, in the log: `reports to mautic`. */
  label: string
  /** The table of the targets, and the column of `name` that has their ids. */
  targets: string
  targetColumn: string
  /** SQL over a target: whether it is sent anything now. */
  isReady: RawBuilder<boolean>
  /** SQL over a target and a row: whether this target is sent such a row. */
  isWanted: RawBuilder<boolean>
}

/** Returns the columns of a row that is to be sent as soon as possible. */
export function queuedAt(now: number): Omit<OutboxRow, 'id'> {
  return { state: 'queued', attempts: 0, due_at: now, created_at: now, problem: null }
}

/** Adds the columns of `OutboxRow` to a new table with ids. */
export function addOutboxColumns(
  table: CreateTableBuilder<string, string>,
): CreateTableBuilder<string, string> {
  return table
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('problem', 'text')
}
