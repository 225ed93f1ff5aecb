import { sql } from 'kysely'
import type { Storage } from '../src/storage/index.ts'

/**
 * Makes the disk of a database full: it refuses what needs more space, with its own error. Returns what makes space.
 * SQLite refuses what this process writes.
 */
export async function fillDisk(storage: Storage): Promise<() => Promise<void>> {
  return storage.kind === 'sqlite' ? fillSqlite(storage) : fillPostgres(storage)
}

const pagesMax = 1_073_741_823

async function fillSqlite(storage: Storage): Promise<() => Promise<void>> {
  const limit = (pages: number) =>
    storage.transaction(async (tx) => {
      await sql.raw(`pragma max_page_count = ${pages}`).execute(tx)
    })
  // It never becomes less than the database has.
  await limit(1)
  return () => limit(pagesMax)
}

async function fillPostgres(storage: Storage): Promise<() => Promise<void>> {
  const db = storage.tables<object>()
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public'`.execute(db)
  await sql`create function refuse_when_full() returns trigger language plpgsql as $$
    begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$`.execute(db)
  await storage.transaction(async (tx) => {
    for (const { name } of rows)
      await sql`create trigger disk_full before insert or update on ${sql.table(name)}
        for each statement execute function refuse_when_full()`.execute(tx)
  })
  return async () => {
    await sql`drop function refuse_when_full() cascade`.execute(db)
  }
}
