import type { OwnColumns, RecordRow, RecordStore } from '../../storage/index.ts'
import type { PendingRow, ResourceDefinition } from '../definition.ts'

/** A record that is to be created (without an id) or changed. */
interface Request {
  id?: number
  values: unknown
}

/** The records that a request names, each as the items so far will leave it. A new one has a negative id until it is written. */
export class FutureRows<Row extends RecordRow> {
  readonly #identityColumn: RecordStore<Row>['identityColumn']
  readonly #rows = new Map<number, Row>()
  readonly #idsByIdentity = new Map<unknown, number>()
  #lastNewId = 0
  /** What was put so far, in order. */
  readonly pending: PendingRow<Row>[] = []

  private constructor(identityColumn: RecordStore<Row>['identityColumn'], rows: readonly Row[]) {
    this.#identityColumn = identityColumn
    for (const row of rows) this.#set(row)
  }

  /** Reads the records that requests name, and those with the identity of a record that is to be created. */
  static async read<Row extends RecordRow, Item, Input>(
    { store, identity }: ResourceDefinition<Row, Item, Input>,
    requests: readonly Request[],
  ): Promise<FutureRows<Row>> {
    const rows = await store.findMany(requests.flatMap(({ id }) => id ?? []))
    if (identity === undefined) return new FutureRows(store.identityColumn, rows)
    const ids = new Set(rows.map(({ id }) => id))
    const values = requests
      .filter(({ id }) => id === undefined || !ids.has(id))
      .flatMap((request) => identity.of(request.values as Input) ?? [])
    const same = await store.findSame(values)
    return new FutureRows(store.identityColumn, [...rows, ...same])
  }

  find(id: number | undefined): Row | undefined {
    return id === undefined ? undefined : this.#rows.get(id)
  }

  /** Finds the record that has this identity. */
  findSame(identity: string | null | undefined): Row | undefined {
    return identity === null ? undefined : this.find(this.#idsByIdentity.get(identity))
  }

  /** Notes the columns that a record, or a new one, will have; returns its id. */
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
    return this.#identityColumn === undefined ? null : row[this.#identityColumn]
  }
}
