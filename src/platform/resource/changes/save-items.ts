import type { Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import { type BatchItemResult, done, failed, runItem } from '../../../kit/batch-item-result.ts'
import { type Caller, callerKey } from '../../../kit/caller.ts'
import { createPacer } from '../../../kit/pause.ts'
import { Semaphore } from '../../../kit/semaphore.ts'
import { WorkQueue } from '../../../kit/work-queue.ts'
import { changeQueue, type OwnColumns, type RecordRow } from '../../storage/index.ts'
import { defaultBrand } from '../brand-access.ts'
import {
  type ChangedRow,
  existsFor,
  faultsPerItem,
  itemsPerTransaction,
  type PendingRow,
  type Prepared,
  type ResourceDefinition,
  type WriteTest,
} from '../definition.ts'
import type { Entry, ItemRequest, SaveContext } from '../resource-service.ts'
import { changeItems, checkRevision, inTransaction, runEach } from './change-items.ts'

/**
 * Creates what saves the items of a resource, in this order: `access.checkCaller`; for each item `access.scopeOf`,
 * `access.checkChangeable`, its revision, `toInput` and `prepare`; `parts.test`, where the request asks for it; in one short
 * transaction for each item `isCurrent`, `hooks.beforeWrite`, the row, `hooks.afterWrite` and the result of its test; `present`;
 * `hooks.afterCommit`.
 */
export function createSaveItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
): (
  requests: readonly ItemRequest<Input>[],
  context: SaveContext,
) => Promise<BatchItemResult<Entry<Item>>[]> {
  // One request at a time repeats its items, so that each request succeeds in the end.
  const repetitions = new Semaphore({ permits: 1, ...changeQueue })
  // Callers take turns, so that no batch holds up other callers.
  const tests = new WorkQueue({ runningMax: testsMax, totalMax: testsMax })
  return (requests, context) => {
    const change = (batch: typeof requests) =>
      new Saving(definition, tests, batch, context).run(repetitions)
    return changeItems(definition, 'saved', { requests, context, change })
  }
}

/** An item that is ready to be written. */
interface PreparedItem<Row extends RecordRow, Item, Input> extends Prepared<Row, Item> {
  input: Input
  /** The record that it was prepared for; undefined where it is new. */
  current: Row | undefined
  /** Negative for a new record: later items of the request refer to it by this id. */
  id: number
  /** Whether the record has these columns already. */
  isUnchanged: boolean
  /** Writes its test, where the request asks for one. */
  writeTest?: WriteTest | undefined
}

/** The result of an item; undefined where it is stale: what it depends on has changed, and it has to be prepared again. */
type WriteResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>> | undefined

/** How many tests of a resource run at a time in this process, those of all requests together. */
const testsMax = 10
/** How often an item is prepared again while other changes come first. */
const repetitionsMax = 50

/**
 * Saves items: prepares them, tests them if the request asks for it, then writes them in one short transaction. Items are prepared
 * and written again where other changes came in between; an item that was tested fails instead, because what it would become
 * was not tested. Where the request is atomic, all items are written or none.
 */
class Saving<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  readonly #tests: WorkQueue
  readonly #requests: readonly ItemRequest<Input>[]
  readonly #context: SaveContext

  constructor(
    definition: ResourceDefinition<Row, Item, Input>,
    tests: WorkQueue,
    requests: readonly ItemRequest<Input>[],
    context: SaveContext,
  ) {
    this.#definition = definition
    this.#tests = tests
    this.#requests = requests
    this.#context = context
  }

  async run(repetitions: Semaphore): Promise<BatchItemResult<ChangedRow<Row>>[]> {
    const results = await this.#saveOnce(this.#requests)
    if (this.#context.ifTestPasses !== undefined)
      return results.map((result) => result ?? failed(changedDuringTest()))
    if (results.includes(undefined))
      await repetitions.run(async () => {
        for (let count = 0; count < repetitionsMax && results.includes(undefined); count++)
          await this.#repeat(results)
      })
    return results.map((result) => result ?? failed(changedTooOften()))
  }

  /** Saves stale items again; of an atomic request, all items that have not failed. Replaces their results. */
  async #repeat(results: WriteResult<Row>[]): Promise<void> {
    const isLeft = (index: number) =>
      this.#context.isAtomic ? results[index]?.ok !== false : results[index] === undefined
    const indexes = [...results.keys()].filter(isLeft)
    const again = await this.#saveOnce(this.#requests.filter((_request, index) => isLeft(index)))
    for (const [place, index] of indexes.entries()) results[index] = again[place]
  }

  async #saveOnce(requests: readonly ItemRequest<Input>[]): Promise<WriteResult<Row>[]> {
    const { caller, isAtomic } = this.#context
    const prepared = await this.#test(await prepareItems(this.#definition, requests, caller))
    const good = prepared.flatMap((result) => (result.ok ? [result.value] : []))
    if (good.length === 0) return prepared as BatchItemResult<never>[]
    const isComplete = good.length === this.#requests.length
    const written = await inTransaction(
      this.#definition.store,
      (tx) => new Writing(this.#definition, tx, caller).write(good),
      (results) => !isAtomic || (isComplete && results.every((result) => result?.ok)),
    )
    let next = 0
    return prepared.map((result) => (result.ok ? written[next++] : result))
  }

  /**
   * Tests prepared items, where the request asks for it, with the columns that will be written. An item whose test fails has failed.
   * If the request is atomic and an item has faults, nothing will be written, so no test runs.
   *
   * @throws AppError (`invalid`) if the client disconnected.
   */
  async #test(
    prepared: BatchItemResult<PreparedItem<Row, Item, Input>>[],
  ): Promise<typeof prepared> {
    const test = this.#definition.parts?.test
    const { caller, isAtomic, ifTestPasses } = this.#context
    if (ifTestPasses === undefined) return prepared
    if (test === undefined) throw new Error('This resource has no test.')
    if (isAtomic && prepared.some(({ ok }) => !ok)) return prepared
    const ended = new AbortController()
    const signal = AbortSignal.any([ifTestPasses.signal, ended.signal])
    const testOne = async (result: (typeof prepared)[number]) => {
      if (!result.ok) return result
      const { value: item } = result
      const runTest = () => {
        // While the test waited for its turn.
        if (signal.aborted) throw testStopped()
        return test({ ...item, caller, signal })
      }
      const inTurn = () => this.#tests.run(callerKey(caller), runTest, true)
      return runItem(async () => ({ ...item, writeTest: await inTurn() }))
    }
    try {
      const tested = await Promise.all(prepared.map(testOne))
      if (ifTestPasses.signal.aborted) throw testStopped()
      return tested
    } finally {
      // After a fault of ours, the other tests stop too.
      ended.abort()
    }
  }
}

/** Prepares items in order, each for the records as the items before it will leave them. Pauses in between. */
async function prepareItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  requests: readonly ItemRequest<Input>[],
  caller: Caller,
): Promise<BatchItemResult<PreparedItem<Row, Item, Input>>[]> {
  const { store } = definition
  // One that the caller may not see does not exist for them: a replacement of it creates another one.
  const seen = (rows: readonly Row[]) => rows.filter((row) => existsFor(definition, row, caller))
  const rows = seen(await store.findMany(requests.flatMap(({ id }) => id ?? [])))
  const ids = new Set(rows.map(({ id }) => id))
  const values = requests
    .filter(({ id }) => id === undefined || !ids.has(id))
    .flatMap((request) => identityOf(definition, request.values as Input, caller) ?? [])
  const common = { faultsMax: faultsPerItem(requests.length), caller }
  const preparing = new Preparing(definition, common)
  for (const row of [...rows, ...seen(await store.findSame(values))]) preparing.set(row)
  return runEach(requests, (request) => preparing.prepare(request))
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
    common: { faultsMax: number; caller: Caller },
  ) {
    this.#definition = definition
    this.#common = common
  }

  async prepare(request: ItemRequest<Input>): Promise<PreparedItem<Row, Item, Input>> {
    const { identity, notFound } = this.#definition
    const { id, mode, seen } = request
    const current = id === undefined ? undefined : this.#rows.get(id)
    if (current !== undefined) return this.#prepareEdit(request, current)
    if (id !== undefined) {
      // A replacement of a missing record creates one; a PATCH does not.
      if (mode === 'patch' || seen !== undefined) throw notFound(id)
      this.#need('create', `There is no ${id}, and you may not create`)
    }
    const input = request.values as Input
    const sameId = this.#idsByIdentity.get(identityOf(this.#definition, input, this.#common.caller))
    const same = sameId === undefined ? undefined : this.#rows.get(sameId)
    if (same === undefined) return this.#prepareColumns(input, undefined, 'put')
    // Creating a record with the identity of another one changes that one.
    const record = same.id > 0 ? `Record ${same.id}` : 'An earlier item'
    this.#need('edit', `${record} has the same ${identity?.name}, and you may not change it`)
    return this.#prepareEdit({ mode: 'patch', values: input }, same)
  }

  async #prepareEdit(
    { mode, values, seen }: ItemRequest<Input>,
    current: Row,
  ): Promise<PreparedItem<Row, Item, Input>> {
    const { access, toInput } = this.#definition
    access?.checkChangeable?.(current, this.#common.caller)
    checkRevision(current, seen)
    const input = mode === 'put' ? values : { ...(await toInput(current)), ...values }
    return this.#prepareColumns(input, current, mode)
  }

  async #prepareColumns(input: Input, current: Row | undefined, mode: 'patch' | 'put') {
    const { access, prepare } = this.#definition
    const item = { ...this.#common, input, current, mode, pending: this.#pending }
    const owned = await access?.withBrand?.(item)
    const prepared = await prepare(owned === undefined ? item : { ...item, input: owned })
    const { columns } = prepared
    if (current !== undefined && isChanged(current, columns, 'is_published'))
      this.#need('publish', 'You may not change isPublished')
    const isUnchanged =
      current !== undefined &&
      !Object.keys(columns).some((name) => isChanged(current, columns, name))
    const id = isUnchanged ? current.id : this.#put(current, columns)
    return { ...prepared, input, current, id, isUnchanged }
  }

  #need(level: 'create' | 'edit' | 'publish', refusal: string): void {
    const permission = `${this.#definition.area}:${level}`
    if (this.#common.caller.can(permission)) return
    throw new AppError('forbidden', `${level}_forbidden`, `${refusal} (${permission}).`)
  }

  /** Notes the columns that a record, or a new one, will have; returns its id. */
  #put(current: Row | undefined, columns: OwnColumns<Row>): number {
    const id = current?.id ?? --this.#lastNewId
    const revision = (current?.revision ?? 0) + 1
    if (current !== undefined) this.#idsByIdentity.delete(this.#identityOf(current))
    this.set({ ...current, ...columns, id, revision } as unknown as Row)
    this.#pending.push({ ...columns, id: id > 0 ? id : undefined })
    return id
  }

  set(row: Row): void {
    this.#rows.set(row.id, row)
    const value = this.#identityOf(row)
    if (value !== null) this.#idsByIdentity.set(value, row.id)
  }

  #identityOf(row: Row): unknown {
    const { identityColumn } = this.#definition.store.options
    return identityColumn === undefined ? null : row[identityColumn]
  }
}

/** The identity of a new record, which is one of the brand that it will have. */
function identityOf<Row extends RecordRow, Item, Input>(
  { access, identity }: ResourceDefinition<Row, Item, Input>,
  input: Input,
  caller: Caller,
): string | null | undefined {
  return identity?.of(access?.withBrand ? { brand: defaultBrand(caller), ...input } : input)
}

/** Whether a record gets another value in a column. SQLite has booleans as 0 and 1. */
function isChanged(current: object, columns: object, name: string): boolean {
  const before: unknown = Reflect.get(current, name)
  const value: unknown = Reflect.get(columns, name)
  return (typeof value === 'boolean' ? Boolean(before) : before) !== value
}

/** Writes prepared items in one transaction. It only runs queries; everything slow was done before. */
class Writing<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  readonly #tx: Transaction<object>
  readonly #caller: Caller
  /** The locked records, and the new ones by the ids that they were prepared with. */
  #rows = new Map<number, Row>()
  /** The records that were written so far. */
  readonly #ownIds = new Set<number>()

  constructor(
    definition: ResourceDefinition<Row, Item, Input>,
    tx: Transaction<object>,
    caller: Caller,
  ) {
    this.#definition = definition
    this.#tx = tx
    this.#caller = caller
  }

  /** Writes the items in order. */
  async write(items: readonly PreparedItem<Row, Item, Input>[]): Promise<WriteResult<Row>[]> {
    const { store } = this.#definition
    const ids = items.flatMap(({ id }) => (id > 0 ? [id] : []))
    this.#rows = await store.lock(this.#tx, ids)
    // Where names are compared, each item has to see the one before it.
    const rowsPerInsert = store.options.lock === undefined ? itemsPerTransaction : 1
    const results: WriteResult<Row>[] = []
    const newItems = new Map<number, PreparedItem<Row, Item, Input>>()
    const insertNew = async () => {
      if (newItems.size === 0) return
      const inserted = (await this.#insert([...newItems.values()])).values()
      for (const [index, { shownOnce }] of newItems) {
        const row = inserted.next().value
        results[index] = row && done({ row, isNew: true, shownOnce })
      }
      newItems.clear()
    }
    const pace = createPacer()
    for (const [index, item] of items.entries()) {
      const isOfNew = item.current !== undefined && item.current.id < 0
      if (isOfNew || newItems.size >= rowsPerInsert) await insertNew()
      const result = await runItem(() => this.#writeOne(item))
      if (!result.ok) results[index] = result
      else if (result.value === 'new') newItems.set(index, item)
      else results[index] = result.value === 'stale' ? undefined : done(result.value)
      await pace()
    }
    await insertNew()
    return results
  }

  /** Checks an item, and writes it unless it is new. */
  async #writeOne(
    item: PreparedItem<Row, Item, Input>,
  ): Promise<ChangedRow<Row> | 'new' | 'stale'> {
    const { store, clock, hooks } = this.#definition
    const [tx, caller] = [this.#tx, this.#caller]
    const { input, columns, shownOnce } = item
    const current = item.current && this.#rows.get(item.id)
    if (current?.revision !== item.current?.revision) return 'stale'
    if ((await item.isCurrent?.(tx, this.#ownIds)) === false) return 'stale'
    await hooks?.beforeWrite?.(tx, { input, columns, current, caller })
    if (current === undefined) return 'new'
    const { identityColumn } = store.options
    if (identityColumn !== undefined && columns[identityColumn] !== current[identityColumn])
      await checkIdentity(this.#definition, tx, columns[identityColumn])
    let row = current
    if (!item.isUnchanged) {
      row = await store.update(tx, { current, columns }, { caller, clock })
      this.#rows.set(item.id, row)
      this.#ownIds.add(row.id)
      await hooks?.afterWrite?.(tx, { rows: [row], inputs: [input], before: current, caller })
    }
    await item.writeTest?.(tx, row.id)
    return { row, isNew: false, shownOnce }
  }

  /** Inserts new records. Undefined for an item that is stale: another transaction has inserted a record with its identity. */
  async #insert(items: readonly PreparedItem<Row, Item, Input>[]): Promise<(Row | undefined)[]> {
    const { store, clock, hooks } = this.#definition
    const [tx, caller] = [this.#tx, this.#caller]
    const columns = items.map((item) => item.columns)
    const inserted = await store.insert(tx, columns, { caller, clock })
    const written = items.flatMap((item, index) => {
      const row = inserted[index]
      return row === undefined ? [] : [{ row, item }]
    })
    for (const { row, item } of written) {
      this.#rows.set(item.id, row)
      this.#ownIds.add(row.id)
    }
    const rows = written.map(({ row }) => row)
    const inputs = written.map(({ item }) => item.input)
    if (rows.length > 0) await hooks?.afterWrite?.(tx, { rows, inputs, before: undefined, caller })
    for (const { row, item } of written) await item.writeTest?.(tx, row.id)
    return inserted
  }
}

/** Throws where another record has the identity that a record is to get; null for none. */
export async function checkIdentity<Row extends RecordRow, Item, Input>(
  { store, identity }: Pick<ResourceDefinition<Row, Item, Input>, 'store' | 'identity'>,
  tx: Transaction<object>,
  value: unknown,
): Promise<void> {
  if (identity === undefined || value === null) return
  const otherId = await store.findIdOf(tx, value)
  if (otherId !== undefined) throw identity.taken(otherId, value as string)
}

function changedDuringTest(): AppError {
  const message =
    'It is no longer as it was when its test began, so nothing was changed. Read it again and repeat your change.'
  return new AppError('conflict', 'edit_conflict', message)
}

function changedTooOften(): AppError {
  const message = 'Others keep changing it, or what it depends on. Repeat your change later.'
  return new AppError('conflict', 'edit_conflict', message)
}

/** For a client that disconnects before its tests have ended. */
function testStopped(): AppError {
  const message = 'The client disconnected. The test was stopped, and nothing was saved.'
  return new AppError('invalid', 'test_stopped', message)
}
