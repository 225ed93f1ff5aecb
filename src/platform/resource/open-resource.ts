import type { Caller } from '../../kit/caller.ts'
import { mapMaybe } from '../../kit/maybe-promise.ts'
import type { RecordRow } from '../storage/index.ts'
import { removeItems } from './changes/remove-items.ts'
import { openDeletedEntries } from './changes/restore-items.ts'
import { createSaveItems } from './changes/save-items.ts'
import { existsFor, type ResourceDefinition } from './definition.ts'
import type { ResourceService } from './resource-service.ts'

/** What the API does with one kind of record, and the rows themselves for other modules. */
export interface Resource<Row extends RecordRow, Item, Input> extends ResourceService<Item, Input> {
  /** Undefined where no record has this id; with a caller, also for a record outside the caller's scope. */
  findRow: (id: number, caller?: Caller) => Promise<Row | undefined>
  /** Throws the `notFound` of the definition; with a caller, also for a record outside the caller's scope. */
  getRow: (id: number, caller?: Caller) => Promise<Row>
}

/**
 * Opens the service of a resource. Each change goes through three steps: `prepare` (slow, before the transaction), one short
 * transaction that writes through the store, `present`.
 */
export function openResource<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
): Resource<Row, Item, Input> {
  const { store, notFound, present, access, parts } = definition
  const getById = (id: number, caller?: Caller) => {
    if (caller !== undefined) access?.checkCaller?.(caller)
    return mapMaybe(store.find(id), (row) => {
      if (row === undefined) throw notFound(id)
      if (caller !== undefined && !existsFor(definition, row, caller)) throw notFound(id)
      return row
    })
  }
  const save = createSaveItems(definition)
  return {
    async findRow(id, caller) {
      const row = await store.find(id)
      return caller === undefined || (row && existsFor(definition, row, caller)) ? row : undefined
    },
    getRow: async (id, caller) => getById(id, caller),
    findFaults: async (...values) => (await definition.findFaults?.(...values)) ?? {},
    get: (id, caller) =>
      mapMaybe(getById(id, caller), (row) =>
        mapMaybe(present([row], caller), ([item]) => ({
          item: item as Item,
          revision: row.revision,
          isNew: false,
        })),
      ),
    list(query, caller) {
      access?.checkCaller?.(caller)
      const scope = access?.scopeOf?.(caller)?.condition
      const list = store.list({ query, caller, scope })
      return {
        count: () => list.count(),
        async *pages() {
          for await (const rows of list.pages()) yield await present(rows, caller)
        },
      }
    },
    create: (inputs, context) =>
      save(
        inputs.map((values) => ({ mode: 'put', values })),
        context,
      ),
    edit: save,
    remove: (requests, context) => removeItems(definition, requests, context),
    deleted: parts?.trash && openDeletedEntries(definition, parts.trash),
  }
}
