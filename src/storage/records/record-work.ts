import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
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
