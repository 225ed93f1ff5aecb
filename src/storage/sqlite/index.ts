import { SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { Database, DatabaseOptions } from '../database.ts'
import { SqliteDriver } from './driver.ts'

/**
 * SQLite, in a file beside the process, through `node:sqlite`: WAL, on the disk before it is told, foreign
 * keys on. The URL is `sqlite:<path>`.
 */
export function openSqlite({ url }: DatabaseOptions): Database {
  const driver = new SqliteDriver(url.slice('sqlite:'.length))
  return {
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => adapter,
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    isRetryable: () => false,
    // Whoever begins one waits for the one writer there is; queries have a connection of their own.
    inTurn: (transaction) => transaction(),
    // A transaction holds the one write lock of the file from its beginning.
    lock: async () => undefined,
    reachDisk: () => driver.reachDisk(),
    changeStamp: () => driver.changeStamp(),
    readAtOnce: (query) => driver.readAtOnce(query),
    writeAtOnce: (work) => driver.writeAtOnce(work),
    async ping(db) {
      driver.checkFile()
      await sql`select 1`.execute(db)
    },
    // It has the clock of this machine.
    now: async () => Date.now(),
    async version(db) {
      const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(
        db,
      )
      return `SQLite ${rows[0]?.version}`
    },
  }
}

/** Migrations run inside one transaction, whose write lock is the migration lock. */
const adapter = {
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
}
