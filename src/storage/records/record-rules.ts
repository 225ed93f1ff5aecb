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

/** Inside the transaction that will write. */
export interface RuleContext {
  /** `tx.withTables<…>()` gives the room's tables. */
  tx: Transaction<object>
  caller: Caller
}

/** What decides about each item of a change. What it throws, as AppError, fails that item alone. */
export interface ItemRules<Row extends RecordRow, Input> {
  /** The values that a record has now; a change of some is put over them. */
  toInput: (current: Row) => Eventual<Input>
  /**
   * The columns for these values, of a new record or of one that is changed to them: of some values
   * (`patch`), over what `toInput` gave, or of all (`put`).
   */
  toColumns: (
    input: Input,
    current: Row | undefined,
    mode: 'patch' | 'put',
  ) => Eventual<OwnColumns<Row>>
  /**
   * Writes what goes with records that were just written, with the values that they were written for; `before` is what
   * the one that was edited had been.
   */
  afterWrite?: (rows: readonly Row[], inputs: readonly Input[], before?: Row) => Promise<void>
  /** Throws where the record must stay. */
  checkRemoval?: (current: Row) => Eventual<void>
}

/**
 * A column whose values tell records apart; null is no value, and any number may have it. Creating a record with the value
 * of another changes that one instead. The table has a unique index on the column.
 */
export interface RecordIdentity<Row extends RecordRow, Input> {
  column: keyof OwnColumns<Row> & string
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
  /** What the API shows of rows to this caller. */
  present: (rows: readonly Row[], caller: Caller) => Eventual<Item[]>
  /** See `ResourceService`; none where the schema knows all that can be wrong with a value. */
  findFaults?: (
    values: Readonly<Record<string, unknown>>,
    id: number | undefined,
  ) => Promise<FaultDetails>
  /** Called once per transaction, before its items. */
  begin: (context: RuleContext) => Eventual<ItemRules<Row, Input>>
}
