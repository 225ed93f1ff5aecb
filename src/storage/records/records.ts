import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { andThen, type Eventual } from '../../kit/eventual.ts'
import { done, failed, type Outcome } from '../../kit/outcome.ts'
import type {
  ChangeContext,
  Entry,
  EntryList,
  EntryRemoval,
  ResourceService,
} from '../../kit/resource.ts'
import { createLookUp } from '../look-up.ts'
import type { Storage } from '../storage.ts'
import { createTurns } from '../turns.ts'
import { checkSize } from './check-size.ts'
import { listRows, type RowList } from './list-rows.ts'
import type { ItemRequest } from './prepare-items.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import { chunkSize, type RecordTables, type Written } from './record-work.ts'
import { removeRecords } from './remove-records.ts'
import { saveRecords } from './save-records.ts'

/** The records of one kind: what the API does with them, and the rows themselves. */
export interface Records<Row extends RecordRow, Item, Input> extends ResourceService<Item, Input> {
  /** Undefined where there is none with this id. */
  findRow: (id: number) => Promise<Row | undefined>
  /** Throws the rules' `notFound`. */
  getRow: (id: number) => Promise<Row>
}

/** Opens the records that live by these rules. */
export function openRecords<Row extends RecordRow, Item, Input>(
  storage: Storage,
  clock: Clock,
  rules: RecordRules<Row, Item, Input>,
): Records<Row, Item, Input> {
  const db = storage.tables<RecordTables>()
  const findById: (id: number) => Eventual<Row | undefined> = createLookUp(storage, () =>
    db.selectFrom(rules.table).selectAll().where('id', '=', 0).compile(),
  )
  const getById = (id: number) =>
    andThen(findById(id), (row) => {
      if (row === undefined) throw rules.notFound(id)
      return row
    })
  const parts = { storage, clock, rules, repetitions: createTurns({ count: 1 }) }
  const check = (requests: readonly { id?: number }[]) => checkSize(db, rules, requests)
  const save = inChunks({ rules, check }, (requests: readonly ItemRequest<Input>[], context) =>
    saveRecords<Row, Input>(parts, requests, context),
  )
  const remove = inChunks({ rules, check }, (removals: readonly EntryRemoval[], context) =>
    removeRecords<Row, Input>(parts, removals, context),
  )
  return {
    findRow: async (id) => findById(id),
    getRow: async (id) => getById(id),
    findFaults: rules.findFaults ?? (async () => ({})),
    get: (id, caller) =>
      andThen(getById(id), (row) =>
        andThen(rules.present([row], caller), ([item]) => ({
          item: item as Item,
          revision: row.revision,
          isNew: false,
        })),
      ),
    list: (query, caller) =>
      presentList(listRows<Row>(db, rules, { query, reader: caller }), (rows) =>
        rules.present(rows, caller),
      ),
    create: (inputs, context) =>
      save(
        inputs.map((values) => ({ mode: 'put' as const, values })),
        context,
      ),
    edit: save,
    remove,
  }
}

/** Runs one kind of change over some of the items of a request. */
type Change<Row extends RecordRow, Request> = (
  some: readonly Request[],
  context: ChangeContext,
) => Promise<Outcome<Written<Row>>[]>

/**
 * Runs a change over all items: at once where they are all to be written or none, else some after the other, so that others
 * get to write in between. Presents what was written once it is committed.
 */
function inChunks<Row extends RecordRow, Item, Input, Request extends { id?: number }>(
  {
    rules,
    check,
  }: {
    rules: RecordRules<Row, Item, Input>
    check: (requests: readonly Request[]) => Promise<void>
  },
  change: Change<Row, Request>,
) {
  return async (requests: readonly Request[], context: ChangeContext) => {
    await check(requests)
    const entries: Outcome<Entry<Item>>[] = []
    const size = context.isAtomic ? Math.max(requests.length, 1) : chunkSize
    for (let start = 0; start < requests.length; start += size) {
      const some = requests.slice(start, start + size)
      const outcomes = await change(some, context).catch((error: unknown) => {
        // What was written before stays, so the rest is answered item by item.
        if (start === 0 || !(error instanceof AppError)) throw error
        return some.map(() => failed(error))
      })
      entries.push(...(await presentOutcomes(outcomes, rules, context.caller)))
    }
    return entries
  }
}

async function presentOutcomes<Row extends RecordRow, Item, Input>(
  outcomes: readonly Outcome<Written<Row>>[],
  rules: RecordRules<Row, Item, Input>,
  caller: Caller,
): Promise<Outcome<Entry<Item>>[]> {
  const rows = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value.row] : []))
  const items = (await rules.present(rows, caller)).values()
  return outcomes.map((outcome) => {
    if (!outcome.ok) return outcome
    const { row, isNew, consequence } = outcome.value
    const item = items.next().value as Item
    return done({ item, revision: row.revision, isNew, consequence })
  })
}

function presentList<Row, Item>(
  list: RowList<Row>,
  present: (rows: Row[]) => Item[] | Promise<Item[]>,
): EntryList<Item> {
  return {
    count: () => list.count(),
    async *pages() {
      for await (const rows of list.pages()) yield await present(rows)
    },
  }
}
