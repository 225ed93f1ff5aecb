import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { limitRecord } from './schema.ts'

/** `transports` has ids in ascending order. */
export interface LimitRow extends RecordRow, ColumnsOf<typeof limitRecord> {}

export type Overflow = LimitRow['overflow']

/** What is used of a limit; see `Usage`. */
export interface LimitUsageRow {
  /** `limit:<id>`, `limit:<id>:connections`, or `transport:<id>:<number of the member>` for `max_per_second` of a DSN. */
  key: string
  /** JSON. */
  state: string
}

export type LimitTables = {
  limits: RecordTable<LimitRow>
  limit_usage: LimitUsageRow
}

/** The tables of limits and of what is used of each. */
export const limitMigrations: Migrations = {
  async '00.01.00_22_limits'(db, database) {
    await createRecordTable(db, database, 'limits')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('transports', 'text', (column) => column.notNull())
      .addColumn('per_second', 'bigint')
      .addColumn('per_minute', 'bigint')
      .addColumn('per_hour', 'bigint')
      .addColumn('per_day', 'bigint')
      .addColumn('per_month', 'bigint')
      .addColumn('connections_max', 'bigint')
      .addColumn('warm_up', 'text')
      .addColumn('overflow', 'text', (column) => column.notNull())
      .$call(addBrand)
      .execute()
    await db.schema
      .createTable('limit_usage')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .execute()
    await database.createSearchIndex(db, 'limits')
  },
}
