import type { CreateTableBuilder, Kysely, QueryExecutorProvider, RawBuilder } from 'kysely'

/** What a database can do, and the parts of statements that the databases spell differently. Modules ask for these, never for its name. */
export interface DatabaseFeatures extends QueryParts, SchemaParts {
  /** Whether several processes may serve it at a time. */
  readonly isShared: boolean
  /** Whether transactions run side by side and lock rows; else one of them writes at a time. */
  readonly locksRows: boolean
  /** Whether statements run in this process: a short one is answered synchronously, a long one holds up the others. */
  readonly runsInProcess: boolean
  /** Whether a `with` may change rows. */
  readonly changesInWith: boolean
  /** Whether a table can be created in monthly partitions; see `createTableByMonth`. */
  readonly hasPartitions: boolean
  /** Whether a trigger can run once for all rows of a statement; else it runs for each row. */
  readonly hasStatementTriggers: boolean
}

/** Parts of queries and changes. */
export interface QueryParts {
  /** `column in (ids)`; the statement is the same for any number of ids. */
  isAmong(column: string, ids: readonly number[]): RawBuilder<boolean>
  /** The identity of a table, as text: a restored dump has another one. Empty where the database does not know one. */
  tableId(table: string): RawBuilder<string>
  /** The text of a member of a JSON object in a column; null where it has none. */
  textMember(column: string, name: string): RawBuilder<unknown>
  /**
   * A column that filters rows which another index finds in order. A planner without statistics would use the index of the
   * column, and sort.
   */
  unsorted(column: string): RawBuilder<unknown>
  /** Stands at the end of a subquery that must be executed as it is written. */
  readonly fence: RawBuilder<unknown>
  /** Locks the selected rows until the transaction ends. `of`: only those of this table. Empty where no rows are locked. */
  forUpdate(of?: string): RawBuilder<unknown>
  /** As `forUpdate`, and leaves out the rows that another transaction has locked. */
  forUpdateSkipLocked(): RawBuilder<unknown>
  /** Selects rows for each of some texts, at most 500, such as the newest ones of each. */
  selectOfEach(texts: readonly string[], selection: SelectionOfEach): RawBuilder<unknown>
  /**
   * A column that makes a transaction hold a shared lock until it ends, even if its connection is lost. A database that runs in this
   * process needs none.
   */
  sharedLock(name: string): RawBuilder<unknown>
  /** Whether every transaction with this shared lock has ended: it is committed or rolled back. */
  isLockFree(tx: QueryExecutorProvider, name: string): Promise<boolean>
}

/** What `selectOfEach` selects for each text. */
export interface SelectionOfEach {
  table: string
  columns: RawBuilder<unknown>
  /** The condition, the order and the limit. The column that is compared with the text has `bytewiseTextType`. */
  rest: (text: RawBuilder<string>) => RawBuilder<unknown>
}

/** A table, and the column of the time whose month decides about the partition. In milliseconds. */
export interface MonthlyTable {
  name: string
  time: string
}

/** Parts of the schema, for migrations. */
export interface SchemaParts {
  readonly bytesType: RawBuilder<unknown>
  /** A text that is compared by its bytes, so that a prefix is a range of its index. */
  readonly bytewiseTextType: RawBuilder<unknown>
  /** The end of the columns of an index that returns ids: empty where each index has the id. */
  readonly indexedId: RawBuilder<unknown>
  /** Creates a table whose ids are given by the database and never given twice; the caller adds its columns and executes. */
  createTableWithId(db: Kysely<unknown>, name: string): CreateTableBuilder<string, string>
  /** Creates an id without a guarantee for deleted rows, for a table that is only appended to and emptied. */
  readonly plainIdType: RawBuilder<unknown>
  /** As `createTableWithId`, in a partition for each month of a time, where the database has partitions. See `ensurePartitions`. */
  createTableByMonth(
    db: Kysely<unknown>,
    table: MonthlyTable,
    addColumns: (table: CreateTableBuilder<string, string>) => CreateTableBuilder<string, string>,
  ): Promise<void>
  /** Stores the rows of a table in its primary key, where the database can. */
  clustered<Columns extends string>(
    table: CreateTableBuilder<string, Columns>,
  ): CreateTableBuilder<string, Columns>
  /** Creates an index for searches in `search_text`, where the database has one. */
  createSearchIndex(db: Kysely<unknown>, table: string): Promise<void>
}
