import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { done, failed, type Outcome } from '../../kit/outcome.ts'
import type { RecordRules, RuleContext } from './record-rules.ts'
import type { RecordRow, RecordTable } from './record-table.ts'

/** The tables of records, as far as what is common to them goes. */
export type RecordTables = Record<string, RecordTable<RecordRow>>

/** One transaction of changes. */
export interface RecordWork<Row extends RecordRow, Input> {
  tx: Transaction<RecordTables>
  rules: RecordRules<Row, unknown, Input>
  context: RuleContext
  clock: Clock
}

/** A record as it now is. */
export interface Written<Row extends RecordRow> {
  row: Row
  isNew: boolean
}

/** Runs a rule over each item; an AppError fails its item alone. */
export async function tryEach<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Value | Promise<Value>,
): Promise<Outcome<Value>[]> {
  const outcomes: Outcome<Value>[] = []
  for (const item of items) outcomes.push(await tryOne(() => work(item)))
  return outcomes
}

/** Runs a rule; an AppError is its outcome, unless it is a fault of ours or of the database. */
export async function tryOne<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return done(await work())
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'upstream' && error.kind !== 'internal') {
      return failed(error)
    }
    throw error
  }
}
