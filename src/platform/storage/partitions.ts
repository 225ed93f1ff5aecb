import { type QueryExecutorProvider, sql } from 'kysely'
import type { MonthlyTable } from './features.ts'
import type { Storage } from './storage.ts'

// A table of `createTableByMonth` has a partition for each month (UTC). Retention drops a partition instead of deleting its rows.
// What is in no month that has a partition (a clock that was wrong) is in the default partition.

/** A month, and its partition of `deliveries`. */
interface Month {
  /** Such as `deliveries_2026_11`. */
  name: string
  from: number
  /** Exclusive. */
  to: number
}

/** The months that have a partition before they begin. */
const monthsAhead = 2
/** A table that is in use for longer is tried again a minute later; meanwhile statements on it would wait. */
const lockTimeoutMs = 2_000
/** More rows stay in the default partition: moving them would take too long. */
const movedMax = 50_000

/** Creates the partitions of this month and of the next two where they are missing. */
export async function ensurePartitions(
  storage: Storage,
  table: MonthlyTable,
  now: number,
): Promise<void> {
  if (!storage.hasPartitions) return
  await createPartitions(storage, table, {
    from: now,
    to: monthAfter(table, now, monthsAhead).from,
  })
}

/** Creates the partitions of all months of a time where they are missing. */
export async function createPartitions(
  storage: Storage,
  table: MonthlyTable,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const existing = new Set((await findPartitions(storage, table)).map(({ name }) => name))
  let month = monthAfter(table, from, 0)
  for (; month.from <= to; month = monthAfter(table, month.from, 1))
    if (!existing.has(month.name)) await createPartition(storage, table, month)
}

/** Removes the partitions of the months before a time. Another process may do it at the same time. */
export async function dropPartitions(
  storage: Storage,
  table: MonthlyTable,
  before: number,
): Promise<void> {
  if (!storage.hasPartitions) return
  for (const month of await findPartitions(storage, table))
    if (month.to <= before)
      await inLockedTransaction(storage, table, async (tx) => {
        await sql`drop table if exists ${sql.table(month.name)}`.execute(tx)
      })
}

async function findPartitions(storage: Storage, table: MonthlyTable): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`select relname as name
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${sql.lit(table.name)}::regclass order by relname`.execute(storage.tables())
  return rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? []
    if (year === undefined) return []
    return [monthAfter(table, Date.UTC(Number(year), Number(month) - 1), 0)]
  })
}

async function createPartition(
  storage: Storage,
  table: MonthlyTable,
  { name, from, to }: Month,
): Promise<void> {
  const time = sql.ref(table.time)
  const isInMonth = sql`${time} >= ${sql.lit(from)} and ${time} < ${sql.lit(to)}`
  const all = sql.table(table.name)
  const rest = sql.table(`${table.name}_default`)
  await inLockedTransaction(storage, table, async (tx) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from
      (select 1 from ${rest} where ${isInMonth} limit ${movedMax + 1}) as found`.execute(tx)
    if (Number(rows[0]?.count) > movedMax) return
    const { rows: existing } = await sql<{ name: string | null }>`
      select to_regclass(${name}) as name`.execute(tx)
    if (existing[0]?.name !== null) return
    await sql`create table ${sql.table(name)} (like ${all} including all)`.execute(tx)
    await sql`with moved as (delete from ${rest} where ${isInMonth} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(tx)
    // Unlike "create table … partition of", it lets others write meanwhile.
    await sql`alter table ${all} attach partition ${sql.table(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
  })
}

/** One process at a time, and no long wait for a table that is in use. */
function inLockedTransaction(
  storage: Storage,
  { name }: MonthlyTable,
  work: (tx: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  return storage.transaction(async (tx) => {
    await storage.lock(tx, `partitions of ${name}`)
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
    await work(tx)
  })
}

/** The month of a time, or a later one. */
function monthAfter(table: MonthlyTable, time: number, months: number): Month {
  const date = new Date(time)
  const startOf = (ahead: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)
  const from = startOf(months)
  const name = `${table.name}_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
  return { name, from, to: startOf(months + 1) }
}
