import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { type DatabaseFeatures, dropTrigger } from '../../platform/storage/index.ts'
import { defaultTransport, noTransport } from './table.ts'

export const minuteMs = 60_000
export const hourMs = 3_600_000

/** The `transport_id` of the sum of all transports. */
export const everyTransport = -2

/**
 * Creates the counts of deliveries by time, and the triggers that keep them. A delivery without an outcome
 * (`started`) is not counted.
 *
 * The triggers only append changes: a counter that all messages update would make the commits of several processes
 * wait for each other. `foldChanges` adds the changes to the counts later; readers add both.
 */
export async function createDeliveryCounts(
  db: Kysely<unknown>,
  database: DatabaseFeatures,
): Promise<void> {
  await createCounts(db, database, [])
  await createChanges(db, database)
  await (database.hasStatementTriggers ? addStatementTriggers(db) : addRowTriggers(db, []))
}

/** The columns of changes that the first version had not. */
const laterColumns = ['brand_id']

/** Counts each brand, too: rows of brand 0 count all deliveries, as those of before do, and others those of their brand. */
export async function addCountsOfBrands(
  db: Kysely<unknown>,
  database: DatabaseFeatures,
): Promise<void> {
  // Its key changes.
  await sql`create table delivery_counts_old as select * from delivery_counts`.execute(db)
  await db.schema.dropTable('delivery_counts').execute()
  await createCounts(db, database, laterColumns)
  await sql`insert into delivery_counts (transport_id, span_ms, started_at, source, outcome, count)
    select transport_id, span_ms, started_at, source, outcome, count from delivery_counts_old`.execute(
    db,
  )
  await db.schema.dropTable('delivery_counts_old').execute()
  await sql`alter table delivery_count_changes add column brand_id bigint default 0`.execute(db)
  await countLogged(db)
  if (database.hasStatementTriggers) return createAppendFunction(db, laterColumns)
  for (const number of [1, 2, 3, 4]) await dropTrigger(db, database, `deliveries_count_${number}`)
  await addRowTriggers(db, laterColumns)
}

/** Counts the deliveries that have a brand already: those that are removed are taken off its counts. */
async function countLogged(db: Kysely<unknown>): Promise<void> {
  await sql`with counted (started_at, transport_id, source, outcome, brand_id, change) as (
      select ${sql.raw(columnsOf('', laterColumns))}, count(*) from deliveries
        where brand_id <> 0 and outcome <> 'started' group by 1, 2, 3, 4, 5
      union all select delivery_events.started_at - delivery_events.started_at % ${sql.lit(minuteMs)},
          delivery_events.transport_id, deliveries.source, 'event:' || type, brand_id, count(*)
        from deliveries join delivery_events on deliveries.id = delivery_id
          and deliveries.started_at = delivery_events.started_at
        where is_first and brand_id <> 0 group by 1, 2, 3, 4, 5) ${addCounted}`.execute(db)
}

/** Adds the changes in `counted`: each counts in its minute and in its hour, for its transport and for all of them. */
export const addCounted = sql`insert into delivery_counts
    (transport_id, brand_id, span_ms, started_at, source, outcome, count)
  with levels (span_ms, is_sum) as (values
    (${sql.lit(minuteMs)}, 0), (${sql.lit(minuteMs)}, 1), (${sql.lit(hourMs)}, 0), (${sql.lit(hourMs)}, 1))
  select case is_sum when 1 then ${sql.lit(everyTransport)} else transport_id end, brand_id, span_ms,
    started_at - started_at % span_ms, source, outcome, sum(change)
  from counted cross join levels
  where true group by 1, 2, 3, 4, 5, 6 having sum(change) <> 0
  on conflict (transport_id, brand_id, span_ms, started_at, source, outcome)
    do update set count = delivery_counts.count + excluded.count`

async function createCounts(
  db: Kysely<unknown>,
  database: DatabaseFeatures,
  later: readonly string[],
): Promise<void> {
  const texts = ['source', 'outcome']
  const key = ['transport_id', ...later, 'span_ms', 'started_at', ...texts]
  let table: CreateTableBuilder<string, string> = db.schema.createTable('delivery_counts')
  for (const name of [...key, 'count'])
    table = table.addColumn(name, texts.includes(name) ? 'text' : 'bigint', (column) =>
      later.includes(name) ? column.notNull().defaultTo(0) : column.notNull(),
    )
  await database.clustered(table.addPrimaryKeyConstraint('delivery_counts_once', key)).execute()
  // Finds the transports of a time without reading the counts of each.
  await sql`create index delivery_counts_transports
    on delivery_counts (${sql.raw([...later, 'outcome', 'started_at', 'transport_id'].join(', '))})
    where span_ms = ${sql.lit(hourMs)}`.execute(db)
  await sql`create index delivery_counts_empty on delivery_counts (started_at) where count = 0`.execute(
    db,
  )
}

/** Without constraints: SQLite would save every page that a message changes, in case one is violated. */
async function createChanges(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await sql`create table delivery_count_changes (id ${database.plainIdType}, started_at bigint, transport_id bigint,
    source text, outcome text, change bigint)`.execute(db)
}

/** The columns of a change but the last, for a row of `deliveries`. */
function columnsOf(row: string, later: readonly string[]): string {
  return `${row}started_at - ${row}started_at % ${minuteMs},
    coalesce(${row}transport_id,
      case when ${row}transport is null then ${noTransport} else ${defaultTransport} end),
    ${['source', 'outcome', ...later].map((name) => row + name).join(', ')}`
}

/** The names of these columns. */
function changeColumns(later: readonly string[]): string {
  return ['started_at', 'transport_id', 'source', 'outcome', ...later].join(', ')
}

async function addRowTriggers(db: Kysely<unknown>, later: readonly string[]): Promise<void> {
  const append = `insert into delivery_count_changes (${changeColumns(later)}, change)`
  const isCounted = (row: string) => `${row}.outcome <> 'started'`
  const gain = { statement: `${append} values (${columnsOf('new.', later)}, 1)`, row: 'new' }
  const loss = { statement: `${append} values (${columnsOf('old.', later)}, -1)`, row: 'old' }
  const changes = [
    { event: 'insert', change: gain },
    { event: 'delete', change: loss },
    { event: 'update of outcome', change: gain },
    { event: 'update of outcome', change: loss },
  ] as const
  for (const [index, { event, change }] of changes.entries()) {
    const isChanged = event === 'update of outcome' ? 'old.outcome <> new.outcome and ' : ''
    await sql
      .raw(`create trigger deliveries_count_${index + 1} after ${event} on deliveries for each row
        when (${isChanged}${isCounted(change.row)}) begin ${change.statement}; end`)
      .execute(db)
  }
}

/** One call for each statement, not for each row: it appends one change for all rows that have the same columns. */
async function addStatementTriggers(db: Kysely<unknown>): Promise<void> {
  await createAppendFunction(db, [])
  const references = {
    insert: 'new table as new_rows',
    update: 'old table as old_rows new table as new_rows',
    delete: 'old table as old_rows',
  }
  for (const [event, tables] of Object.entries(references))
    await sql
      .raw(`create trigger deliveries_count_${event} after ${event} on deliveries
        referencing ${tables} for each statement execute function append_delivery_count_changes()`)
      .execute(db)
}

async function createAppendFunction(db: Kysely<unknown>, later: readonly string[]): Promise<void> {
  const names = changeColumns(later)
  const rows = (table: string, change: number) =>
    `select ${columnsOf('', later)}, ${change} from ${table} where outcome <> 'started'`
  const appendAll = (all: string) => `insert into delivery_count_changes (${names}, change)
    select ${names}, sum(change) from (${all}) as changes (${names}, change)
    group by ${names} having sum(change) <> 0;`
  await sql
    .raw(`create or replace function append_delivery_count_changes() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then ${appendAll(rows('new_rows', 1))}
        elsif tg_op = 'DELETE' then ${appendAll(rows('old_rows', -1))}
        else ${appendAll(`${rows('new_rows', 1)} union all ${rows('old_rows', -1)}`)}
        end if;
        return null;
      end $$`)
    .execute(db)
}
