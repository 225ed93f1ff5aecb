import type { Transaction } from 'kysely'
import type { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { ListTable } from './list-rows.ts'
import type { RecordRow } from './record-table.ts'

/** What is stamped by the store and never given. */
type StampedColumn =
  | 'id'
  | 'revision'
  | 'date_added'
  | 'date_modified'
  | 'created_by'
  | 'created_by_id'
  | 'modified_by'

/** The columns that one kind of record gives values to. */
export type OwnColumns<Row extends RecordRow> = Omit<Row, StampedColumn>

/** Inside the transaction that will write. */
export interface RuleContext {
  /** `tx.withTables<…>()` gives the room's tables. */
  tx: Transaction<object>
  caller: Caller
}

/** What decides about each item of a change. What it throws, as AppError, fails that item alone. */
export interface ItemRules<Row extends RecordRow, Input> {
  /** All the columns of a new record, or of one that is replaced. */
  toColumns: (input: Input, current: Row | undefined) => MaybePromise<OwnColumns<Row>>
  /** The columns that a change of some values changes. */
  toChanges: (values: Partial<Input>, current: Row) => MaybePromise<Partial<OwnColumns<Row>>>
  /** Throws where the record must stay. */
  checkRemoval?: (current: Row) => MaybePromise<void>
}

type MaybePromise<T> = T | Promise<T>

/** What one kind of record asks of its changes. */
export interface RecordRules<Row extends RecordRow, Input> extends ListTable {
  /** Permission area: replacing what is not there asks for `area:create`, a change of isPublished for `area:publish`. */
  area: string
  notFound: (id: number) => AppError
  /** Changes that must not happen beside each other, such as of names that are unique, name a lock. */
  lock?: string
  /** Called once per transaction, before its items. */
  begin: (context: RuleContext) => MaybePromise<ItemRules<Row, Input>>
}
