import { sql } from 'kysely'
import type { Storage } from '../src/platform/storage/index.ts'

/**
 * Makes the disk of a database full: it refuses what needs more space, with its own error. Returns what makes space.
 * SQLite refuses what this process writes.
 */
export async function fillDisk(storage: Storage): Promise<() => Promise<void>> {
  return storage.runsInProcess ? fillSqlite(storage) : fillPostgres(storage)
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

/** Only what the triggers do changes, as that needs no lock on the tables, which Mailyard uses meanwhile. */
async function fillPostgres(storage: Storage): Promise<() => Promise<void>> {
  const db = storage.tables<object>()
  const onWrite = (statement: string) =>
    sql`create or replace function on_write() returns trigger language plpgsql as ${sql.lit(
      `begin ${statement}; end`,
    )}`.execute(db)
  const makeSpace = async () => {
    await onWrite('return null')
  }
  await makeSpace()
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public'`.execute(db)
  for (const { name } of rows)
    await sql`create or replace trigger on_write before insert or update on ${sql.table(name)}
      for each statement execute function on_write()`.execute(db)
  await onWrite(
    `raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'`,
  )
  return makeSpace
}
