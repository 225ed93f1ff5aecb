import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely'
import type { ListConditions, ListReader } from './database.ts'

/** The reads of one list, search or export; see `ListReader`. */
export interface ListReads<Tables> extends ListConditions {
  db: Kysely<Tables>
}

export interface ListReadsOptions {
  /** The key of the caller whose share they use. */
  owner: string
  /** Whether the first statement waits, however many others of this owner do: that of a plain list, which is no search. */
  isAccepted: boolean
  reader: ListReader
  dialect: Dialect
}

/**
 * Opens the reads of one list for its owner. The first statement may be refused because too many statements of this owner wait; those
 * that follow it are not, so that a list is not broken off halfway.
 */
export function openListReads<Tables>({
  owner,
  isAccepted,
  reader,
  dialect,
}: ListReadsOptions): ListReads<Tables> {
  return {
    db: new Kysely<Tables>({
      dialect: {
        createDriver: () => new ListDriver(owner, reader, isAccepted),
        createQueryCompiler: () => dialect.createQueryCompiler(),
        createAdapter: () => dialect.createAdapter(),
        createIntrospector: (db) => dialect.createIntrospector(db),
      },
    }),
    isInTime: reader.isInTime,
    contains: (text, part) => reader.contains(text, part),
    natural: (text) => reader.natural(text),
  }
}

/** Kysely's driver for reads: each statement gets a connection when it is its turn. */
class ListDriver implements Driver, DatabaseConnection {
  readonly #owner: string
  readonly #reader: ListReader
  #isAccepted: boolean

  constructor(owner: string, reader: ListReader, isAccepted: boolean) {
    this.#owner = owner
    this.#reader = reader
    this.#isAccepted = isAccepted
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#reader.read<Row>(this.#owner, query, this.#isAccepted)
    this.#isAccepted = true
    return result
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Lists are read page by page; this driver streams nothing.')
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Lists are read outside of transactions.')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
