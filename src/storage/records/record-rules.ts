import type { Transaction } from 'kysely'
import type { AppError, FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Eventual } from '../../kit/eventual.ts'
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
  | 'modified_by_id'

/** The columns that one kind of record gives values to. */
export type OwnColumns<Row extends RecordRow> = Omit<Row, StampedColumn>

/** A record that the same request is about to write; one that is new has no id yet. */
export type PendingRow<Row extends RecordRow> = OwnColumns<Row> & { id: number | undefined }

/** One item of a change, before the transaction. */
export interface ItemChange<Row extends RecordRow, Input> {
  /** All values; of a `patch`, those given over those that `toInput` has. */
  input: Input
  /** The record as it will be when the item is written; undefined where it is new. */
  current: Row | undefined
  mode: 'patch' | 'put'
  /** What the same transaction writes before this item. */
  pending: readonly PendingRow<Row>[]
  caller: Caller
}

/** What is to be written for one item. */
export interface Prepared<Row extends RecordRow> {
  columns: OwnColumns<Row>
  /**
   * Whether other stored data that the columns depend on is unchanged; always, if left out. Else the item is prepared
   * again. Called inside the transaction; `ownIds` are the records that it has written itself.
   */
  isCurrent?: (tx: Transaction<object>, ownIds: ReadonlySet<number>) => Eventual<boolean>
}

/** Inside the transaction that will write. */
export interface RuleContext {
  /** `tx.withTables<…>()` gives the room's tables. */
  tx: Transaction<object>
  caller: Caller
}

/** One item of a change, inside the transaction. */
export interface ItemWrite<Row extends RecordRow, Input> {
  input: Input
  columns: OwnColumns<Row>
  current: Row | undefined
}

/** What is done in the transaction besides writing the record: queries only, nothing that takes long. */
export interface WriteRules<Row extends RecordRow, Input> {
  /** Checks what only the transaction can know. What it throws, as AppError, fails that item alone. */
  beforeWrite?: (write: ItemWrite<Row, Input>) => Eventual<void>
  /**
   * Writes what goes with records that were just written, with the values that they were written for; `before` is what
   * the one that was edited had been.
   */
  afterWrite?: (rows: readonly Row[], inputs: readonly Input[], before?: Row) => Promise<void>
  /** Throws where the record must stay. */
  checkRemoval?: (current: Row) => Eventual<void>
  /** What the removal changes besides, as a sentence: `It was assigned to 1 email.` */
  describeRemoval?: (current: Row) => Eventual<string | undefined>
}

/**
 * A column whose values tell records apart; null is no value, and any number may have it. Creating a record with the value
 * of another changes that one instead. The table has a unique index on the column.
 */
export interface RecordIdentity<Row extends RecordRow, Input> {
  column: keyof OwnColumns<Row> & string
  /** The value of the column for an input. */
  of: (input: Input) => string | null
  /** The error for an edit that gives a record the value of another, which has this id. */
  taken: (id: number, value: string) => AppError
  /** What is put over the values of a record when another with its value is created. */
  merge: (input: Input, current: Row) => Partial<Input>
}

/** What one kind of record is and asks of its changes. */
export interface RecordRules<Row extends RecordRow, Item, Input> extends ListTable {
  /** Permission area: replacing what is not there asks for `area:create`, a change of isPublished for `area:publish`. */
  area: string
  notFound: (id: number) => AppError
  /** Changes that must not happen beside each other, such as of names that are unique, name a lock. */
  lock?: string
  identity?: RecordIdentity<Row, Input>
  /** Columns whose texts may be long. They limit how many records one request has in memory. */
  largeColumns?: readonly (keyof OwnColumns<Row> & string)[]
  /** What the API shows of rows to this caller. */
  present: (rows: readonly Row[], caller: Caller) => Eventual<Item[]>
  /** See `ResourceService`; none where the schema knows all that can be wrong with a value. */
  findFaults?: (
    values: Readonly<Record<string, unknown>>,
    id: number | undefined,
  ) => Promise<FaultDetails>
  /** The values that a record has now; a change of some is put over them. */
  toInput: (current: Row) => Eventual<Input>
  /**
   * Validates, lints, encrypts: all that takes long happens here, before the transaction, and may happen more than once.
   * What it throws, as AppError, fails that item alone.
   */
  prepare: (change: ItemChange<Row, Input>) => Eventual<Prepared<Row>>
  /** Called once per transaction, before its items. */
  begin?: (context: RuleContext) => WriteRules<Row, Input>
}
