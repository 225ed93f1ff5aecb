import {
  type CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { systemClock } from '../../../kit/clock.ts'
import { every } from '../../../kit/timers.ts'
import type { Database, DatabaseOptions } from '../database.ts'
import { estimateByIds } from '../records/estimate-rows.ts'
import { copyBeforeUpgrade } from './copy-file.ts'
import { SqliteDriver } from './driver.ts'
import { sqliteFeatures } from './features.ts'
import { SqliteListReader } from './list-reader.ts'
import { SqliteFile } from './sqlite-file.ts'

const foreignLookMs = 500

/** SQLite through `node:sqlite`, in WAL mode with foreign keys. The URL is `sqlite:<path>`. */
export function openSqlite({ url, onIdleError, listTimeMs }: DatabaseOptions): Database {
  const path = url.slice('sqlite:'.length)
  const file = new SqliteFile(path, onIdleError)
  return {
    dialect: {
      createDriver: () => new SqliteDriver(file),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => adapter,
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    plugins: [withoutRowLocks],
    features: sqliteFeatures,
    prepareUpgrade: ({ from }) => copyBeforeUpgrade(path, from),
    isRetryable: () => false,
    // A transaction waits for the writer by itself, and other queries use the reader.
    withPermit: (transaction) => transaction(),
    // A transaction holds the one write lock of the file from its beginning.
    lock: async () => undefined,
    flush: () => file.flush(),
    changeStamp: () => file.changeStamp(),
    first: <Row>(db: Kysely<unknown>, query: CompiledQuery) => {
      const read = file.readSync<Row>(query)
      return read === undefined ? readFirst<Row>(db, query) : read.row
    },
    lists: new SqliteListReader(path, file, listTimeMs),
    // Commands beside the process that serves cannot notify it. It looks whether one has changed the file.
    channels: {
      openListener(onNotify) {
        let version = file.foreignVersion()
        const look = () => {
          const now = file.foreignVersion()
          if (now !== version) onNotify(undefined)
          version = now
        }
        const end = every(foreignLookMs, look)
        return { close: async () => end() }
      },
      notify: async () => undefined,
    },
    async ping(db) {
      file.check()
      await sql`select 1`.execute(db)
    },
    // It has the clock of this machine.
    now: async () => systemClock.now(),
    async sizeBytes(db) {
      const { rows } = await sql<{ bytes: number }>`select page_count * page_size as bytes
        from pragma_page_count(), pragma_page_size()`.execute(db)
      return rows[0]?.bytes ?? 0
    },
    estimateRows: estimateByIds,
    async version(db) {
      const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(
        db,
      )
      return `SQLite ${rows[0]?.version}`
    },
    // The driver closes the file.
    close: async () => undefined,
  }
}

async function readFirst<Row>(db: Kysely<unknown>, query: CompiledQuery): Promise<Row | undefined> {
  return (await db.executeQuery<Row>(query)).rows[0]
}

/** Migrations run inside one transaction, whose write lock is the migration lock. */
const adapter = {
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
}

/** Leaves out `for update`, which SQLite lacks and, with one writer at a time, does not need. */
const withoutRowLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind !== 'SelectQueryNode' || !('endModifiers' in node)) return node
    const { endModifiers: _, ...rest } = node
    return rest
  },
  transformResult: async ({ result }) => result,
}
