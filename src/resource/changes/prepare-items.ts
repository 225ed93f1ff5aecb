import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { OwnColumns, RecordRow } from '../../storage/index.ts'
import {
  existsFor,
  faultsPerItem,
  type PendingRow,
  type Prepared,
  type ResourceDefinition,
  type WriteTest,
} from '../definition.ts'
import type { SeenRevisions } from '../resource-service.ts'

/** A record that is to be created (without an id) or changed. */
export type ItemRequest<Input> = { id?: number; seen?: SeenRevisions } & (
  | { mode: 'patch'; values: Partial<Input> }
  | { mode: 'put'; values: Input }
)

/** An item that is ready to be written. */
export interface PreparedItem<Row extends RecordRow, Input> extends Prepared<Row> {
  input: Input
  /** The record that it was prepared for; undefined where it is new. */
  current: Row | undefined
  /** Negative for a new record: later items of the request refer to it by this id. */
  id: number
  /** Whether the record has these columns already. */
  isUnchanged: boolean
  /** Writes its test, where the request asks for one. */
  writeTest?: WriteTest
}

/** Prepares items in order, each for the records as the items before it will leave them. Pauses in between. */
export async function prepareItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  requests: readonly ItemRequest<Input>[],
  caller: Caller,
): Promise<BatchItemResult<PreparedItem<Row, Input>>[]> {
  const rows = await readRows(definition, requests)
  const common = { faultsMax: faultsPerItem(requests.length), caller }
  const preparing = new Preparing(definition, rows, common)
  const pace = createPacer()
  const results: BatchItemResult<PreparedItem<Row, Input>>[] = []
  for (const request of requests) {
    results.push(await runItem(() => preparing.prepare(request)))
    await pace()
  }
  return results
}

/** Reads the records that requests name, and those with the identity of a record that is to be created. */
async function readRows<Row extends RecordRow, Item, Input>(
  { store, identity }: ResourceDefinition<Row, Item, Input>,
  requests: readonly ItemRequest<Input>[],
): Promise<Row[]> {
  const rows = await store.findMany(requests.flatMap(({ id }) => id ?? []))
  if (identity === undefined) return rows
  const ids = new Set(rows.map(({ id }) => id))
  const values = requests
    .filter(({ id }) => id === undefined || !ids.has(id))
    .flatMap((request) => identity.of(request.values as Input) ?? [])
  return [...rows, ...(await store.findSame(values))]
}

class Preparing<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  /** What each item is prepared with. */
  readonly #common: { faultsMax: number; caller: Caller }
  /** The records, each as the items so far will leave it. A new one has a negative id until it is written. */
  readonly #rows = new Map<number, Row>()
  readonly #idsByIdentity = new Map<unknown, number>()
  #lastNewId = 0
  /** What was put so far, in order. */
  readonly #pending: PendingRow<Row>[] = []

  constructor(
    definition: ResourceDefinition<Row, Item, Input>,
    rows: readonly Row[],
    common: { faultsMax: number; caller: Caller },
  ) {
    this.#definition = definition
    this.#common = common
    for (const row of rows) this.#set(row)
  }

  async prepare(request: ItemRequest<Input>): Promise<PreparedItem<Row, Input>> {
    const { identity, notFound, prepare } = this.#definition
    const current = request.id === undefined ? undefined : this.#rows.get(request.id)
    if (current !== undefined) {
      if (!existsFor(this.#definition, current, this.#common.caller)) throw notFound(current.id)
      return this.#prepareEdit(request, current)
    }
    if (request.id !== undefined) this.#checkCreating({ ...request, id: request.id })
    const input = request.values as Input
    const sameId = this.#idsByIdentity.get(identity?.of(input))
    const same = sameId === undefined ? undefined : this.#rows.get(sameId)
    if (same !== undefined) return this.#prepareMerge(input, same)
    const pending = this.#pending
    const prepared = await prepare({ ...this.#common, input, current, mode: 'put', pending })
    const id = this.#put(undefined, prepared.columns)
    return { ...prepared, input, current, id, isUnchanged: false }
  }

  async #prepareEdit(
    { mode, values, seen }: ItemRequest<Input>,
    current: Row,
  ): Promise<PreparedItem<Row, Input>> {
    const { checkChangeable, toInput, prepare } = this.#definition
    checkChangeable?.(current, this.#common.caller)
    checkRevision(current, seen)
    const input = mode === 'put' ? values : { ...(await toInput(current)), ...values }
    const pending = this.#pending
    const prepared = await prepare({ ...this.#common, input, current, mode, pending })
    this.#checkPublishing(current, prepared.columns)
    const isSame = isUnchanged(current, prepared.columns)
    if (!isSame) this.#put(current, prepared.columns)
    return { ...prepared, input, current, id: current.id, isUnchanged: isSame }
  }

  /** Creating a record with the identity of another one changes that one. */
  #prepareMerge(input: Input, current: Row): Promise<PreparedItem<Row, Input>> {
    const { area, identity } = this.#definition
    if (this.#common.caller.can(`${area}:edit`))
      return this.#prepareEdit({ mode: 'patch', values: input }, current)
    const record = current.id > 0 ? `Record ${current.id}` : 'An earlier item'
    const message = `${record} has the same ${identity?.name}, and you may not change it (${area}:edit).`
    throw new AppError('forbidden', 'edit_forbidden', message)
  }

  /** A replacement of a missing record creates one; a PATCH does not. */
  #checkCreating({ id, mode, seen }: ItemRequest<Input> & { id: number }): void {
    const { area, notFound } = this.#definition
    if (mode === 'patch' || seen !== undefined) throw notFound(id)
    if (this.#common.caller.can(`${area}:create`)) return
    const message = `There is no ${id}, and you may not create (${area}:create).`
    throw new AppError('forbidden', 'create_forbidden', message)
  }

  #checkPublishing(current: Row, columns: OwnColumns<Row>): void {
    const { area } = this.#definition
    const { is_published: isPublished } = columns as unknown as RecordRow
    if (isPublished === Boolean(current.is_published)) return
    if (this.#common.caller.can(`${area}:publish`)) return
    const message = `You may not change isPublished (${area}:publish).`
    throw new AppError('forbidden', 'publish_forbidden', message)
  }

  /** Notes the columns that a record, or a new one, will have; returns its id. */
  #put(current: Row | undefined, columns: OwnColumns<Row>): number {
    const id = current?.id ?? --this.#lastNewId
    const revision = (current?.revision ?? 0) + 1
    if (current !== undefined) this.#idsByIdentity.delete(this.#identityOf(current))
    this.#set({ ...current, ...columns, id, revision } as unknown as Row)
    this.#pending.push({ ...columns, id: id > 0 ? id : undefined })
    return id
  }

  #set(row: Row): void {
    this.#rows.set(row.id, row)
    const value = this.#identityOf(row)
    if (value !== null) this.#idsByIdentity.set(value, row.id)
  }

  #identityOf(row: Row): unknown {
    const { identityColumn } = this.#definition.store
    return identityColumn === undefined ? null : row[identityColumn]
  }
}

/** Throws an AppError (`conflict`) where a record is at none of the revisions that the caller has seen. */
export function checkRevision(current: RecordRow, seen: SeenRevisions): void {
  if (seen === undefined || seen.includes(current.revision)) return
  const message =
    `${current.modified_by ?? 'Another caller'} has changed it since you read it. ` +
    'Read it again and repeat your change.'
  throw new AppError('conflict', 'edit_conflict', message)
}

/** SQLite has booleans as 0 and 1. */
function isUnchanged<Row extends RecordRow>(current: Row, columns: OwnColumns<Row>): boolean {
  const before = current as Record<string, unknown>
  return Object.entries(columns).every(([name, value]) =>
    typeof value === 'boolean' ? Boolean(before[name]) === value : before[name] === value,
  )
}
