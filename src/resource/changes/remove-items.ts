import type { Transaction } from 'kysely'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import {
  type ChangedRow,
  existsFor,
  joinConsequences,
  type RecordUse,
  type ResourceDefinition,
} from '../definition.ts'
import type { DeletedRecord, KeptRecord } from '../deleted/deleted-records.ts'
import type { EntryRemoval, RemovalContext } from '../resource-service.ts'
import { checkRevision } from './prepare-items.ts'

type RemovalResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>>

type Uses = ReadonlyMap<number, RecordUse>

/**
 * Deletes records in one transaction, each unless it was changed since the caller has seen it, or is in use. They can be
 * restored, unless the caller erases them. Returns them as they were.
 */
export async function removeItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  removals: readonly EntryRemoval[],
  context: RemovalContext,
): Promise<RemovalResult<Row>[]> {
  const { storage, lock, deleted } = definition
  const { isAtomic, isDryRun = false } = context
  const uses = await findUses(definition, removals, context.caller)
  return storage.transaction(
    async (tx) => {
      if (lock !== undefined) await storage.lock(tx, lock)
      await deleted?.lock(tx)
      return new Removal(definition, { tx, context, uses }).removeEach(removals)
    },
    {
      keeps: (results: RemovalResult<Row>[]) =>
        !isDryRun && (!isAtomic || results.every(({ ok }) => ok)),
      checksConstraints: true,
    },
  )
}

async function findUses<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  removals: readonly EntryRemoval[],
  caller: Caller,
): Promise<Uses> {
  const { store } = definition
  if (definition.findUses === undefined) return new Map()
  const rows = await store.findMany(removals.map(({ id }) => id))
  const changeable = rows.filter((row) => existsFor(definition, row, caller))
  return changeable.length === 0 ? new Map() : definition.findUses(changeable, caller)
}

interface RemovalParts {
  tx: Transaction<object>
  context: RemovalContext
  uses: Uses
}

/** The deletion of records in one transaction. */
class Removal<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  readonly #tx: Transaction<object>
  readonly #context: RemovalContext
  readonly #uses: Uses
  #rows = new Map<number, Row>()
  /** Those that were deleted before, where the caller erases them. */
  #deleted = new Map<number, DeletedRecord<Row>>()
  readonly #keptRecords: KeptRecord<Row>[] = []

  constructor(
    definition: ResourceDefinition<Row, Item, Input>,
    { tx, context, uses }: RemovalParts,
  ) {
    this.#definition = definition
    this.#tx = tx
    this.#context = context
    this.#uses = uses
  }

  async removeEach(removals: readonly EntryRemoval[]): Promise<RemovalResult<Row>[]> {
    const { store, deleted } = this.#definition
    const { caller, isErasing } = this.#context
    const kind = store.table
    const ids = removals.map(({ id }) => id)
    this.#rows = await store.lock(this.#tx, ids)
    if (isErasing === true && deleted !== undefined)
      this.#deleted = await deleted.find(this.#tx, ids, { kind, caller })
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
    await deleted?.add(this.#tx, this.#keptRecords, { kind, caller })
    return results
  }

  async #removeOne({ id, seen }: EntryRemoval): Promise<ChangedRow<Row>> {
    const { store, deleted, checkChangeable, beforeRemove } = this.#definition
    const { caller, isForced, isErasing, isDryRun } = this.#context
    const current = this.#rows.get(id)
    if (current === undefined || !existsFor(this.#definition, current, caller))
      return this.#eraseDeleted(id)
    checkChangeable?.(current, caller)
    checkRevision(current, seen)
    const use = this.#uses.get(id)
    if (use?.refusal !== undefined && isForced !== true) throw use.refusal
    const isKept = deleted !== undefined && isErasing !== true
    const released = await beforeRemove?.(this.#tx, { current, caller, isKept })
    await store.remove(this.#tx, id)
    this.#rows.delete(id)
    if (isKept) {
      const name = (current as Record<string, unknown>)[store.nameColumn] as string | null
      this.#keptRecords.push({ name: name ?? '', row: current, related: released?.related })
    }
    const consequence = joinConsequences([released?.consequence, use?.consequence])
    const sentences = isDryRun === true ? consequence?.planned : consequence?.done
    return { row: current, isNew: false, consequence: sentences }
  }

  async #eraseDeleted(id: number): Promise<ChangedRow<Row>> {
    const { store, notFound, deleted, checkChangeable } = this.#definition
    const record = this.#deleted.get(id)
    if (record === undefined) throw notFound(id)
    checkChangeable?.(record.row, this.#context.caller)
    await deleted?.remove(this.#tx, store.table, id)
    this.#deleted.delete(id)
    return { row: record.row, isNew: false }
  }
}
