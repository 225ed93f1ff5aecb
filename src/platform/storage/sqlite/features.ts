import { sql } from 'kysely'
import type { DatabaseFeatures } from '../features.ts'

const nothing = sql``

/** SQLite: one process, one transaction that writes, no statistics. */
export const sqliteFeatures: DatabaseFeatures = {
  isShared: false,
  locksRows: false,
  runsInProcess: true,
  changesInWith: false,
  hasPartitions: false,
  hasStatementTriggers: false,
  isAmong: (column, ids) =>
    sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`,
  tableId: () => sql<string>`''`,
  textMember: (column, name) => sql`${sql.ref(column)} ->> ${sql.lit(name)}`,
  unsorted: (column) => sql`+${sql.ref(column)}`,
  fence: nothing,
  forUpdate: () => nothing,
  forUpdateSkipLocked: () => nothing,
  selectOfEach: (texts, { table, columns, rest }) =>
    sql.join(
      texts.map(
        (text) =>
          sql`select * from (select ${columns} from ${sql.table(table)} ${rest(sql`${text}`)})`,
      ),
      sql` union all `,
    ),
  sharedLock: () => sql`null`,
  isLockFree: async () => true,
  bytesType: sql`blob`,
  bytewiseTextType: sql`text`,
  indexedId: nothing,
  plainIdType: sql`integer primary key`,
  createTableWithId: (db, name) =>
    db.schema
      .createTable(name)
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement()),
  async createTableByMonth(db, { name }, addColumns) {
    await addColumns(sqliteFeatures.createTableWithId(db, name)).execute()
  },
  clustered: (table) => table.modifyEnd(sql`without rowid`),
  createSearchIndex: async () => undefined,
}
