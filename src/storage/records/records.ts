import type { Transaction } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { andThen, type Eventual } from '../../kit/eventual.ts'
import { done, type Outcome } from '../../kit/outcome.ts'
import type { ChangeContext, Entry, EntryList, ResourceService } from '../../kit/resource.ts'
import { createLookUp } from '../look-up.ts'
import type { Storage } from '../storage.ts'
import { createRecords } from './create-records.ts'
import { editRecords } from './edit-records.ts'
import { listRows, type RowList } from './list-rows.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordTables, RecordWork, Written } from './record-work.ts'
import { removeRecords } from './remove-records.ts'

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
  const change = createChanger(storage, clock, rules)
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
    create: (inputs, context) => change(context, (work) => createRecords(work, inputs)),
    edit: (changes, context) => change(context, (work) => editRecords(work, changes)),
    remove: (removals, context) => change(context, (work) => removeRecords(work, removals)),
  }
}

type Change<Row extends RecordRow, Input> = (
  work: RecordWork<Row, Input>,
) => Promise<Outcome<Written<Row>>[]>

/** Runs changes in one transaction, and presents what they wrote once it is committed. */
function createChanger<Row extends RecordRow, Item, Input>(
  storage: Storage,
  clock: Clock,
  rules: RecordRules<Row, Item, Input>,
) {
  return async ({ caller, isAtomic }: ChangeContext, write: Change<Row, Input>) => {
    const outcomes = await storage.transaction(
      async (tx: Transaction<RecordTables>) => {
        if (rules.lock !== undefined) await storage.lock(tx, rules.lock)
        const inRules = tx as unknown as Transaction<object>
        return write({ tx, rules, context: { tx: inRules, caller }, clock })
      },
      { keeps: (written) => !isAtomic || written.every(({ ok }) => ok), checksConstraints: true },
    )
    return presentOutcomes(outcomes, rules, caller)
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
    const { row, isNew } = outcome.value
    return done({ item: items.next().value as Item, revision: row.revision, isNew })
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
