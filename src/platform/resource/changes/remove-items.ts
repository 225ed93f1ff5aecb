import type { Transaction } from 'kysely'
import { type BatchItemResult, runItem } from '../../../kit/batch-item-result.ts'
import { createPacer } from '../../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import {
  type ChangedRow,
  existsFor,
  joinConsequences,
  type RecordUse,
  type ResourceDefinition,
} from '../definition.ts'
import type { DeletedRecord, KeptRecord } from '../deleted/deleted-records.ts'
import type { Entry, EntryRemoval, RemovalContext } from '../resource-service.ts'
import { changeItems, checkDeletedSize, checkRevision, inTransaction } from './change-items.ts'

type RemovalResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>>

/**
 * Deletes records, each unless it was changed since the caller has seen it, or is in use. They can be restored, unless the caller
 * erases them. Returns them as they were. The order: `access.checkCaller`, `parts.findUses`; in one transaction for each record
 * `access.scopeOf`, `access.checkChangeable`, its revision, its uses, `hooks.beforeRemove` and the row; `present`;
 * `hooks.afterCommit`.
 */
export async function removeItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  requests: readonly EntryRemoval[],
  context: RemovalContext,
): Promise<BatchItemResult<Entry<Item>>[]> {
  const { store, parts } = definition
  const deleted = parts?.trash?.records
  if (context.isErasing === true && deleted !== undefined) {
    const ids = requests.map(({ id }) => id)
    await checkDeletedSize(store.options.table, deleted, ids)
  }
  const change = (batch: readonly EntryRemoval[]) => removeBatch(definition, batch, context)
  return changeItems(definition, 'removed', { requests, context, change })
}

async function removeBatch<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  removals: readonly EntryRemoval[],
  context: RemovalContext,
): Promise<RemovalResult<Row>[]> {
  const { store, parts } = definition
  const { caller, isAtomic, isDryRun = false } = context
  const rows =
    parts?.findUses === undefined ? [] : await store.findMany(removals.map(({ id }) => id))
  const visible = rows.filter((row) => existsFor(definition, row, caller))
  const uses = visible.length === 0 ? undefined : await parts?.findUses?.(visible, caller)
  return inTransaction(
    store,
    async (tx) => {
      await parts?.trash?.records.lock(tx)
      return new Removal(definition, { tx, context, uses }).removeEach(removals)
    },
    (results) => !isDryRun && (!isAtomic || results.every(({ ok }) => ok)),
  )
}

interface RemovalParts {
  tx: Transaction<object>
  context: RemovalContext
  uses: ReadonlyMap<number, RecordUse> | undefined
}

/** The deletion of records in one transaction. */
class Removal<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  readonly #parts: RemovalParts
  #rows = new Map<number, Row>()
  /** Those that were deleted before, where the caller erases them. */
  #deleted = new Map<number, DeletedRecord<Row>>()
  readonly #keptRecords: KeptRecord<Row>[] = []

  constructor(definition: ResourceDefinition<Row, Item, Input>, parts: RemovalParts) {
    this.#definition = definition
    this.#parts = parts
  }

  async removeEach(removals: readonly EntryRemoval[]): Promise<RemovalResult<Row>[]> {
    const { store, parts } = this.#definition
    const deleted = parts?.trash?.records
    const { tx, context } = this.#parts
    const { caller, isErasing } = context
    const kind = store.options.table
    const ids = removals.map(({ id }) => id)
    this.#rows = await store.lock(tx, ids)
    if (isErasing === true && deleted !== undefined)
      this.#deleted = await deleted.find(tx, ids, { kind, caller })
    // An id may be named many times; its refusal is computed once.
    const refused = new Map<number, RemovalResult<Row>>()
    const results: RemovalResult<Row>[] = []
    const pace = createPacer()
    for (const removal of removals) {
      const { id, seen } = removal
      const result = refused.get(id) ?? (await runItem(() => this.#removeOne(removal)))
      if (!result.ok && seen === undefined) refused.set(id, result)
      results.push(result)
      await pace()
    }
    await deleted?.add(tx, this.#keptRecords, { kind, caller })
    return results
  }

  async #removeOne({ id, seen }: EntryRemoval): Promise<ChangedRow<Row>> {
    const { store, access, hooks, parts } = this.#definition
    const { tx, context, uses } = this.#parts
    const { caller, isForced, isErasing, isDryRun } = context
    const current = this.#rows.get(id)
    if (current === undefined || !existsFor(this.#definition, current, caller))
      return this.#eraseDeleted(id)
    access?.checkChangeable?.(current, caller)
    checkRevision(current, seen)
    const use = uses?.get(id)
    if (use?.refusal !== undefined && isForced !== true) throw use.refusal
    const isKept = parts?.trash !== undefined && isErasing !== true
    const released = await hooks?.beforeRemove?.(tx, { current, caller, isKept })
    await store.remove(tx, id)
    this.#rows.delete(id)
    if (isKept) {
      const name = (current as Record<string, unknown>)[store.options.nameColumn] as string | null
      this.#keptRecords.push({ name: name ?? '', row: current, related: released?.related })
    }
    const consequence = joinConsequences([released?.consequence, use?.consequence])
    const sentences = isDryRun === true ? consequence?.planned : consequence?.done
    return { row: current, isNew: false, consequence: sentences }
  }

  async #eraseDeleted(id: number): Promise<ChangedRow<Row>> {
    const { store, access, notFound, parts } = this.#definition
    const { tx, context } = this.#parts
    const record = this.#deleted.get(id)
    if (record === undefined) throw notFound(id)
    access?.checkChangeable?.(record.row, context.caller)
    await parts?.trash?.records.remove(tx, store.options.table, id)
    this.#deleted.delete(id)
    return { row: record.row, isNew: false }
  }
}
