import type { Transaction } from 'kysely'
import { type BatchItemResult, done, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import { type ChangedRow, itemsPerTransaction, type ResourceDefinition } from '../definition.ts'
import type { PreparedItem } from './prepare-items.ts'

/** The result of an item; undefined where it is stale: what it depends on has changed, and it has to be prepared again. */
export type WriteResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>> | undefined

/** Writes prepared items in one transaction. It only runs queries; everything slow was done before. */
export class Writing<Row extends RecordRow, Item, Input> {
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
  async write(items: readonly PreparedItem<Row, Input>[]): Promise<WriteResult<Row>[]> {
    const { store, lock } = this.#definition
    const ids = items.flatMap(({ id }) => (id > 0 ? [id] : []))
    this.#rows = await store.lock(this.#tx, ids)
    // Where names are compared, each item has to see the one before it.
    const rowsPerInsert = lock === undefined ? itemsPerTransaction : 1
    const results: WriteResult<Row>[] = []
    const newItems = new Map<number, PreparedItem<Row, Input>>()
    const insertNew = async () => {
      if (newItems.size === 0) return
      const inserted = (await this.#insert([...newItems.values()])).values()
      for (const index of newItems.keys()) {
        const row = inserted.next().value
        results[index] = row && done({ row, isNew: true })
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
  async #writeOne(item: PreparedItem<Row, Input>): Promise<ChangedRow<Row> | 'new' | 'stale'> {
    const { store, clock, beforeWrite, afterWrite } = this.#definition
    const [tx, caller] = [this.#tx, this.#caller]
    const { input, columns } = item
    const current = item.current && this.#rows.get(item.id)
    if (current?.revision !== item.current?.revision) return 'stale'
    if ((await item.isCurrent?.(tx, this.#ownIds)) === false) return 'stale'
    await beforeWrite?.(tx, { input, columns, current, caller })
    if (current === undefined) return 'new'
    const { identityColumn } = store
    if (identityColumn !== undefined && columns[identityColumn] !== current[identityColumn])
      await checkIdentity(this.#definition, tx, columns[identityColumn])
    if (item.isUnchanged) {
      await item.writeTest?.(tx, current.id)
      return { row: current, isNew: false }
    }
    const row = await store.update(tx, { current, columns }, { caller, clock })
    this.#rows.set(item.id, row)
    this.#ownIds.add(row.id)
    await afterWrite?.(tx, { rows: [row], inputs: [input], before: current, caller })
    await item.writeTest?.(tx, row.id)
    return { row, isNew: false }
  }

  /** Inserts new records. Undefined for an item that is stale: another transaction has inserted a record with its identity. */
  async #insert(items: readonly PreparedItem<Row, Input>[]): Promise<(Row | undefined)[]> {
    const { store, clock, afterWrite } = this.#definition
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
    if (written.length > 0)
      await afterWrite?.(tx, {
        rows: written.map(({ row }) => row),
        inputs: written.map(({ item }) => item.input),
        before: undefined,
        caller,
      })
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
