import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestDatabase } from '../databases.ts'

// A database as SQL: smaller than the file of SQLite, and a review sees what is in it. No other program is needed.

/** Whether a database is one of SQLite, and the name of its dump. */
export function kindOf({ url }: TestDatabase): 'sqlite' | 'postgres' {
  return url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
}

/** Fills an empty database with what `dumpDatabase` has written. */
export async function loadDump(database: TestDatabase, dump: string): Promise<void> {
  if (kindOf(database) === 'sqlite') return withSqlite(database, (db) => db.exec(dump))
  await withPostgres(database, (client) => client.query(dump))
}

/** Writes a database as statements that create it, with its rows. PostgreSQL: see `recordStatements`. */
export async function dumpDatabase(database: TestDatabase): Promise<string> {
  const statements =
    kindOf(database) === 'sqlite'
      ? withSqlite(database, dumpSqlite)
      : await withPostgres(database, dumpPostgres)
  return `${statements.map((each) => `${each};`).join('\n')}\n`
}

function withSqlite<Result>({ url }: TestDatabase, work: (db: DatabaseSync) => Result): Result {
  const path = url.slice('sqlite:'.length)
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

function dumpSqlite(db: DatabaseSync): string[] {
  const read = (query: string) => db.prepare(query).all() as Record<string, string>[]
  const parts = read(
    `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid`,
  )
  const tables = parts.filter(({ type }) => type === 'table')
  const rowsOf = (table: string) => {
    const columns = read(`select name from pragma_table_info('${table}')`).map(({ name }) => name)
    const values = columns.map((name) => `quote("${name}")`).join(` || ', ' || `)
    const rows = read(`select ${values} as line from "${table}"`)
    return rows.map(({ line }) => `insert into ${table} (${columns.join(', ')}) values (${line})`)
  }
  return [
    'begin',
    ...tables.map(({ sql = '' }) => sql),
    ...[...tables.map(({ name = '' }) => name), 'sqlite_sequence'].flatMap(rowsOf),
    // Triggers would count the rows again.
    ...parts.filter(({ type }) => type !== 'table').map(({ sql = '' }) => sql),
    'commit',
  ]
}

async function withPostgres<Result>(
  { url }: TestDatabase,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Records the statements that change the schema of an empty PostgreSQL, for `dumpDatabase`: `pg_dump` would have to be as new as the server. */
export async function recordStatements(database: TestDatabase): Promise<void> {
  if (kindOf(database) === 'sqlite') return
  await withPostgres(database, (client) =>
    client.query(`create schema recording;
      create table recording.statements (id serial, statement text);
      create function recording.record() returns event_trigger language plpgsql as
        $$ begin insert into recording.statements (statement) values (current_query()); end $$;
      create event trigger recording on ddl_command_end execute function recording.record()`),
  )
}

async function dumpPostgres(client: pg.Client): Promise<string[]> {
  const read = async (query: string) =>
    (await client.query<{ line: string }>(query)).rows.map(({ line }) => line)
  // One statement may change several things.
  const created = await read(`select statement as line from recording.statements
    group by statement order by min(id)`)
  const tables = await read(`select relname as line from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by oid`)
  const rows: string[] = []
  for (const table of tables) {
    const columns = await read(`select quote_ident(attname) as line from pg_attribute
      where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`)
    const values = columns.map((name) => `quote_nullable(${name}::text)`).join(` || ', ' || `)
    for (const line of await read(`select ${values} as line from ${table} order by 1`))
      rows.push(
        `insert into ${table} (${columns.join(', ')}) overriding system value values (${line})`,
      )
  }
  const sequences =
    await read(`select format('select setval(%L, %s)', sequencename, last_value) as line
    from pg_sequences where schemaname = 'public' and last_value is not null order by sequencename`)
  // Triggers would count the rows again, and references be checked before all rows are there.
  return [...created, 'set session_replication_role = replica', ...rows, ...sequences]
}
