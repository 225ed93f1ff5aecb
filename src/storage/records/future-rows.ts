import { readRows } from './read-rows.ts'
import type { OwnColumns, PendingRow, RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordParts, RecordTables } from './record-work.ts'

/** A record that is to be created (without an id) or changed. */
interface Request {
  id?: number
  values: unknown
}

/** The records of a request as its items will leave them. A new one has a negative id until it is written. */
export class FutureRows<Row extends RecordRow, Input> {
  readonly #identity: RecordRules<Row, unknown, Input>['identity']
  readonly #rows = new Map<number, Row>()
  readonly #idsByIdentity = new Map<unknown, number>()
  #lastNewId = 0
  /** What was put so far, in order. */
  readonly pending: PendingRow<Row>[] = []

  private constructor(
    identity: RecordRules<Row, unknown, Input>['identity'],
    rows: readonly Row[],
  ) {
    this.#identity = identity
    for (const row of rows) this.#set(row)
  }

  /** Reads the records that requests name, and those that are the same as one that is to be created. */
  static async read<Row extends RecordRow, Input>(
    { storage, rules: { table, identity } }: RecordParts<Row, Input>,
    requests: readonly Request[],
  ): Promise<FutureRows<Row, Input>> {
    const db = storage.tables<RecordTables>()
    const ids = requests.flatMap(({ id }) => id ?? [])
    const rows = await readRows<Row>(db, { table, values: ids })
    if (identity === undefined) return new FutureRows<Row, Input>(identity, rows)
    const found = new Set(rows.map(({ id }) => id))
    const values = requests
      .filter(({ id }) => id === undefined || !found.has(id))
      .flatMap((request) => identity.of(request.values as Input) ?? [])
    const same = await readRows<Row>(db, { table, column: identity.column, values })
    return new FutureRows<Row, Input>(identity, [...rows, ...same])
  }

  find(id: number | undefined): Row | undefined {
    return id === undefined ? undefined : this.#rows.get(id)
  }

  /** The record that is the same as the one that an input would create. */
  findSame(input: Input): Row | undefined {
    const value = this.#identity?.of(input) ?? null
    return value === null ? undefined : this.find(this.#idsByIdentity.get(value))
  }

  /** Notes what becomes of a record, or of a new one; returns its id. */
  put(current: Row | undefined, columns: OwnColumns<Row>): number {
    const id = current?.id ?? --this.#lastNewId
    const revision = (current?.revision ?? 0) + 1
    if (current !== undefined) this.#idsByIdentity.delete(this.#identityOf(current))
    this.#set({ ...current, ...columns, id, revision } as unknown as Row)
    this.pending.push({ ...columns, id: id > 0 ? id : undefined })
    return id
  }

  #set(row: Row): void {
    this.#rows.set(row.id, row)
    const value = this.#identityOf(row)
    if (value !== null) this.#idsByIdentity.set(value, row.id)
  }

  #identityOf(row: Row): unknown {
    return this.#identity === undefined ? null : row[this.#identity.column]
  }
}
