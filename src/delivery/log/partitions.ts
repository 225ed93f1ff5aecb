import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { everyTransport, hourMs } from '../stats/table.ts'

// On PostgreSQL `deliveries` has a partition for each month (UTC). Retention drops a partition instead of deleting its rows.
// What is in no month that has a partition (a clock that was wrong) is in the default partition.

/** A month, and its partition of `deliveries`. */
interface Month {
  /** Such as `deliveries_2026_11`. */
  name: string
  from: number
  /** Exclusive. */
  to: number
}

const defaultPartition = 'deliveries_default'
/** The months that have a partition before they begin. */
const monthsAhead = 2
/** A table that is in use for longer is tried again a minute later; meanwhile statements on it would wait. */
const lockTimeoutMs = 2_000
/** More rows stay in the default partition: moving them would take too long. */
const movedMax = 50_000

export async function addDefaultPartition(db: Kysely<unknown>): Promise<void> {
  await sql`create table ${sql.table(defaultPartition)} partition of deliveries default`.execute(db)
}

/** Creates the partitions of this month and of the next two where they are missing. */
export async function ensurePartitions(storage: Storage, now: number): Promise<void> {
  if (storage.kind !== 'postgres') return
  await createPartitions(storage, { from: now, to: monthAfter(now, monthsAhead).from })
}

/** Creates the partitions of all months of a time where they are missing. */
export async function createPartitions(
  storage: Storage,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const existing = new Set((await findPartitions(storage)).map(({ name }) => name))
  for (let month = monthAfter(from, 0); month.from <= to; month = monthAfter(month.from, 1))
    if (!existing.has(month.name)) await createPartition(storage, month)
}

/** Removes the partitions of the months before a time. Another process may do it at the same time. */
export async function dropPartitions(storage: Storage, before: number): Promise<void> {
  if (storage.kind !== 'postgres') return
  for (const month of await findPartitions(storage))
    if (month.to <= before)
      await inLockedTransaction(storage, async (tx) => {
        await sql`drop table if exists ${sql.table(month.name)}`.execute(tx)
      })
}

/** Removes the counts of months whose deliveries are all removed: triggers do not count what a dropped partition had. */
export async function removeOldCounts(storage: Storage, before: number): Promise<void> {
  if (storage.kind !== 'postgres') return
  const { from } = monthAfter(before, 0)
  const { rows } = await sql`select 1 from delivery_counts where transport_id = ${everyTransport}
    and span_ms = ${sql.lit(hourMs)} and started_at < ${from} limit 1`.execute(storage.tables())
  if (rows.length === 0) return
  await storage.transaction(async (tx) => {
    await storage.lock(tx, 'delivery counts')
    await sql`delete from delivery_count_changes where started_at < ${from}`.execute(tx)
    await sql`delete from delivery_counts where started_at < ${from}`.execute(tx)
  })
}

async function findPartitions(storage: Storage): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`select relname as name
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'deliveries'::regclass order by relname`.execute(storage.tables())
  return rows.flatMap(({ name }) => {
    const [, year, month] = /^deliveries_(\d{4})_(\d{2})$/.exec(name) ?? []
    return year === undefined ? [] : [monthAfter(Date.UTC(Number(year), Number(month) - 1), 0)]
  })
}

async function createPartition(storage: Storage, { name, from, to }: Month): Promise<void> {
  const isInMonth = sql`started_at >= ${sql.lit(from)} and started_at < ${sql.lit(to)}`
  const rest = sql.table(defaultPartition)
  await inLockedTransaction(storage, async (tx) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from
      (select 1 from ${rest} where ${isInMonth} limit ${movedMax + 1}) as found`.execute(tx)
    if (Number(rows[0]?.count) > movedMax) return
    const { rows: existing } = await sql<{ name: string | null }>`
      select to_regclass(${name}) as name`.execute(tx)
    if (existing[0]?.name !== null) return
    await sql`create table ${sql.table(name)} (like deliveries including all)`.execute(tx)
    await sql`with moved as (delete from ${rest} where ${isInMonth} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(tx)
    // Unlike "create table … partition of", it lets others write meanwhile.
    await sql`alter table deliveries attach partition ${sql.table(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
  })
}

/** One process at a time, and no long wait for a table that is in use. */
function inLockedTransaction(
  storage: Storage,
  work: (tx: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  return storage.transaction(async (tx) => {
    await storage.lock(tx, 'delivery partitions')
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
    await work(tx)
  })
}

/** The month of a time, or a later one. */
function monthAfter(time: number, months: number): Month {
  const date = new Date(time)
  const startOf = (ahead: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)
  const from = startOf(months)
  const name = `deliveries_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
  return { name, from, to: startOf(months + 1) }
}
