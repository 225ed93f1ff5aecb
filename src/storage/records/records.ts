import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { ListQuery } from '../../kit/list-query.ts'
import type { Outcome } from '../../kit/outcome.ts'
import type { Storage } from '../storage.ts'
import { createRecords } from './create-records.ts'
import { type Change, editRecords } from './edit-records.ts'
import { listRows, type RowList } from './list-rows.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordTables, RecordWork, Written } from './record-work.ts'
import { removeRecords } from './remove-records.ts'

/** Who changes, and whether one item that fails undoes all. */
export interface ChangeContext {
  caller: Caller
  isAtomic: boolean
}

/**
 * The records of one kind. Changes take many items and answer each, in order; an item that fails stops
 * no other, and what was answered well is committed.
 */
export interface Records<Row extends RecordRow, Input> {
  /** Undefined where there is none with this id. */
  find(id: number): Promise<Row | undefined>
  /** Throws the rules' `notFound`. */
  get(id: number): Promise<Row>
  list(query: ListQuery, caller: Caller): RowList<Row>
  create(inputs: readonly Input[], context: ChangeContext): Promise<Outcome<Written<Row>>[]>
  edit(changes: readonly Change<Input>[], context: ChangeContext): Promise<Outcome<Written<Row>>[]>
  /** Answers each with the record as it was. */
  remove(ids: readonly number[], context: ChangeContext): Promise<Outcome<Written<Row>>[]>
}

/** Opens the records that live by these rules. */
export function openRecords<Row extends RecordRow, Input>(
  storage: Storage,
  clock: Clock,
  rules: RecordRules<Row, Input>,
): Records<Row, Input> {
  const db = storage.tables<RecordTables>()
  const find = createFinder<Row>(db, rules.table)

  const inTransaction = (
    { caller, isAtomic }: ChangeContext,
    write: (work: RecordWork<Row, Input>) => Promise<Outcome<Written<Row>>[]>,
  ) =>
    storage.transaction(
      async (tx: Transaction<RecordTables>) => {
        if (rules.lock !== undefined) await storage.lock(tx, rules.lock)
        const inRules = tx as unknown as Transaction<object>
        return write({ tx, rules, context: { tx: inRules, caller }, clock })
      },
      { keeps: (outcomes) => !isAtomic || outcomes.every(({ ok }) => ok) },
    )

  return {
    find,
    async get(id) {
      const row = await find(id)
      if (row === undefined) throw rules.notFound(id)
      return row
    },
    list: (query, caller) => listRows(db, rules, { query, reader: caller }),
    create: (inputs, context) => inTransaction(context, (work) => createRecords(work, inputs)),
    edit: (changes, context) => inTransaction(context, (work) => editRecords(work, changes)),
    remove: (ids, context) => inTransaction(context, (work) => removeRecords(work, ids)),
  }
}

/** Compiled once: a look-up by id is what everything else waits for. */
function createFinder<Row>(
  db: Kysely<RecordTables>,
  table: string,
): (id: number) => Promise<Row | undefined> {
  let compiled: CompiledQuery | undefined
  return async (id) => {
    compiled ??= db.selectFrom(table).selectAll().where('id', '=', id).compile()
    const { rows } = await db.executeQuery({ ...compiled, parameters: [id] })
    return rows[0] as Row | undefined
  }
}
