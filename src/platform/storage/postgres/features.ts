import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely'
import type { DatabaseFeatures, MonthlyTable } from '../features.ts'

/** PostgreSQL: many processes, and transactions that run side by side. */
export const postgresFeatures: DatabaseFeatures = {
  isShared: true,
  locksRows: true,
  runsInProcess: false,
  changesInWith: true,
  hasPartitions: true,
  hasStatementTriggers: true,
  isAmong: (column, ids) => sql<boolean>`${sql.ref(column)} = any(${ids}::bigint[])`,
  tableId: (table) => sql<string>`${sql.lit(table)}::regclass::oid::text`,
  textMember: (column, name) => sql`${sql.ref(column)}::json ->> ${sql.lit(name)}`,
  unsorted: (column) => sql.ref(column),
  fence: sql`offset 0`,
  forUpdate: (of) => sql`for update ${ofTable(of)}`,
  forUpdateSkipLocked: () => sql`for update skip locked`,
  selectOfEach: (texts, { table, columns, rest }) =>
    sql`select selected.* from unnest(${texts}::text[]) as given (value) cross join lateral
      (select ${columns} from ${sql.table(table)} ${rest(sql`given.value collate "C"`)}) as selected`,
  sharedLock: (name) => sql`pg_advisory_xact_lock_shared(${lockKey(name)})`,
  async isLockFree(tx, name) {
    const { rows } = await sql<{ is_free: boolean }>`
      select pg_try_advisory_xact_lock(${lockKey(name)}) as is_free`.execute(tx)
    return rows[0]?.is_free === true
  },
  bytesType: sql`bytea`,
  bytewiseTextType: sql`text collate "C"`,
  indexedId: sql`, id`,
  plainIdType: sql`bigint generated always as identity primary key`,
  createTableWithId: (db, name) =>
    db.schema
      .createTable(name)
      .addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity()),
  createTableByMonth,
  clustered: (table) => table,
  /** `pg_trgm`, if it is installed and this user may use it. */
  async createSearchIndex(db, table) {
    const index = `create index ${table}_search_text on ${table} using gin (search_text gin_trgm_ops)`
    // An error inside of the block takes back what the block has done, and the migration goes on.
    await sql`do ${sql.lit(`begin
      create extension if not exists pg_trgm;
      ${index};
    exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
      raise notice 'Searches have no index: the extension pg_trgm is not available.';
    end`)}`.execute(db)
  },
}

const ofTable = (name: string | undefined) =>
  name === undefined ? sql`` : sql`of ${sql.ref(name)}`

/** The key of an advisory lock; a literal, because bulk statements bind only the values of their rows. */
function lockKey(name: string): RawBuilder<unknown> {
  return sql`hashtextextended(${sql.lit(`mailyard:${name}`)}, 0)`
}

/** The primary key of a partitioned table must contain what it is partitioned by. */
async function createTableByMonth(
  db: Kysely<unknown>,
  table: MonthlyTable,
  addColumns: (table: CreateTableBuilder<string, string>) => CreateTableBuilder<string, string>,
): Promise<void> {
  const { name, time } = table
  const sequence = `${name}_id_seq`
  await sql`create sequence ${sql.table(sequence)}`.execute(db)
  const created = db.schema
    .createTable(name)
    .addColumn('id', 'bigint', (column) =>
      column.notNull().defaultTo(sql`nextval(${sql.lit(sequence)})`),
    )
    .addPrimaryKeyConstraint(`${name}_pkey`, ['id', time] as never)
  await addColumns(created)
    .modifyEnd(sql`partition by range (${sql.ref(time)})`)
    .execute()
  await sql`create table ${sql.table(`${name}_default`)} partition of ${sql.table(name)} default`.execute(
    db,
  )
}
