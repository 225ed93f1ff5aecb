import {
  type CompiledQuery,
  type QueryExecutorProvider,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
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
    // A transaction holds the one write lock of the file from its beginning.
    lock: async () => undefined,
    reachDisk: () => driver.reachDisk(),
    changeStamp: () => driver.changeStamp(),
    first<Row>(db: QueryExecutorProvider, query: CompiledQuery) {
      const read = driver.readAtOnce<Row>(query)
      return read === undefined ? readFirst<Row>(db, query) : read.row
    },
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

async function readFirst<Row>(
  db: QueryExecutorProvider,
  query: CompiledQuery,
): Promise<Row | undefined> {
  return (await db.getExecutor().executeQuery<Row>(query)).rows[0]
}

/** Migrations run inside one transaction, whose write lock is the migration lock. */
const adapter = {
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
}
