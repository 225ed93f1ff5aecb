import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { noBrand } from '../../kit/caller.ts'
import type { DatabaseFeatures } from '../../platform/storage/index.ts'

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
  await createCounts(db, database)
  await createChanges(db, database)
  await (database.hasStatementTriggers ? addStatementTriggers(db) : addRowTriggers(db))
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

/** Rows of brand 0 count all deliveries, and others those of their brand. */
async function createCounts(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  const texts = ['source', 'outcome']
  const key = ['transport_id', 'brand_id', 'span_ms', 'started_at', ...texts]
  let table: CreateTableBuilder<string, string> = db.schema.createTable('delivery_counts')
  for (const name of [...key, 'count'])
    table = table.addColumn(name, texts.includes(name) ? 'text' : 'bigint', (column) =>
      name === 'brand_id' ? column.notNull().defaultTo(noBrand) : column.notNull(),
    )
  await database.clustered(table.addPrimaryKeyConstraint('delivery_counts_once', key)).execute()
  // Finds the transports of a time without reading the counts of each.
  await sql`create index delivery_counts_transports
    on delivery_counts (brand_id, outcome, started_at, transport_id)
    where span_ms = ${sql.lit(hourMs)}`.execute(db)
  await sql`create index delivery_counts_empty on delivery_counts (started_at) where count = 0`.execute(
    db,
  )
}

/** Without constraints: SQLite would save every page that a message changes, in case one is violated. */
async function createChanges(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await sql`create table delivery_count_changes (id ${database.plainIdType}, started_at bigint, transport_id bigint,
    source text, outcome text, change bigint, brand_id bigint default 0)`.execute(db)
}

/** The columns of a change but the last, for a row of `deliveries`. */
function columnsOf(row: string): string {
  return `${row}started_at - ${row}started_at % ${minuteMs},
    ${['transport_id', 'source', 'outcome', 'brand_id'].map((name) => row + name).join(', ')}`
}

/** The names of these columns. */
const changeColumns = 'started_at, transport_id, source, outcome, brand_id'

async function addRowTriggers(db: Kysely<unknown>): Promise<void> {
  const append = `insert into delivery_count_changes (${changeColumns}, change)`
  const isCounted = (row: string) => `${row}.outcome <> 'started'`
  const gain = { statement: `${append} values (${columnsOf('new.')}, 1)`, row: 'new' }
  const loss = { statement: `${append} values (${columnsOf('old.')}, -1)`, row: 'old' }
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
  await createAppendFunction(db)
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

async function createAppendFunction(db: Kysely<unknown>): Promise<void> {
  const names = changeColumns
  const rows = (table: string, change: number) =>
    `select ${columnsOf('')}, ${change} from ${table} where outcome <> 'started'`
  const appendAll = (all: string) => `insert into delivery_count_changes (${names}, change)
    select ${names}, sum(change) from (${all}) as changes (${names}, change)
    group by ${names} having sum(change) <> 0;`
  await sql
    .raw(`create function append_delivery_count_changes() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then ${appendAll(rows('new_rows', 1))}
        elsif tg_op = 'DELETE' then ${appendAll(rows('old_rows', -1))}
        else ${appendAll(`${rows('new_rows', 1)} union all ${rows('old_rows', -1)}`)}
        end if;
        return null;
      end $$`)
    .execute(db)
}
