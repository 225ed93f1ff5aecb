import { type Kysely, sql } from 'kysely'
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
  dropUnique,
  createSearchIndex: async () => undefined,
}

/** A unique constraint cannot be dropped: the table is created again without it. */
async function dropUnique(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  const old = `${table}_old`
  const { rows } = await sql<{ type: string; sql: string }>`select type, sql from sqlite_master
    where tbl_name = ${table} and sql is not null`.execute(db)
  const [created, ...indexes] = rows.toSorted((one) => (one.type === 'table' ? -1 : 1))
  const unique = new RegExp(`("${column}" [^,]*?) unique\\b`, 'i')
  await db.schema.alterTable(table).renameTo(old).execute()
  await sql.raw(created?.sql.replace(unique, '$1') ?? '').execute(db)
  await sql`insert into ${sql.table(table)} select * from ${sql.table(old)}`.execute(db)
  // The highest id that was given, also to a row that is deleted.
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
  await sql`update sqlite_sequence set name = ${table} where name = ${old}`.execute(db)
  await db.schema.dropTable(old).execute()
  for (const index of indexes) await sql.raw(index.sql).execute(db)
}
