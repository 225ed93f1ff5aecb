import type { Transaction } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Storage } from '../storage.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordRow, RecordTable } from './record-table.ts'

/** The tables of records, as far as what is common to them goes. */
export type RecordTables = Record<string, RecordTable<RecordRow>>

/** What changes of one kind of record are made with. */
export interface RecordParts<Row extends RecordRow, Input> {
  storage: Storage
  clock: Clock
  rules: RecordRules<Row, unknown, Input>
}

/** One transaction of changes. */
export interface RecordWork<Row extends RecordRow, Input> {
  tx: Transaction<RecordTables>
  rules: RecordRules<Row, unknown, Input>
  caller: Caller
  clock: Clock
}

/** A record as it now is. */
export interface Written<Row extends RecordRow> {
  row: Row
  isNew: boolean
  /** See `ItemRules.describeRemoval`. */
  consequence?: string | undefined
}

/** How many items one transaction writes, unless all of a request are to be written or none. */
export const chunkSize = 200
