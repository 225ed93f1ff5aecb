import type { Kysely } from 'kysely'
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration'
import { AppError } from '../../kit/app-error.ts'
import type { DatabaseFeatures } from './features.ts'
import type { Migrating, Storage } from './storage.ts'

const migrationTable = 'migrations'

/** What a migration says to the log: an event, and its facts. */
export type Note = (event: string, facts: object) => void

/** One step of the schema, in plain Kysely; `database` is for what the databases spell differently. */
export type Migration = (
  db: Kysely<unknown>,
  database: DatabaseFeatures,
  note: Note,
) => Promise<void>

/**
 * The migrations of a module by name. They run in the order of their names, over all modules. A released name never
 * changes. Begin a name with the day: `20261121_01_users`.
 */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * Runs the pending migrations in one transaction. When several processes start together, one of them does it and the
 * others wait.
 *
 * @param onNote Gets what the migrations say, once they are committed.
 * @returns The names of the migrations that ran.
 */
export async function migrate(
  storage: Storage,
  modules: readonly Migrations[],
  onNote: Note = () => undefined,
): Promise<string[]> {
  if (await isMigrated(storage, modules)) return []
  const notes: Parameters<Note>[] = []
  const note: Note = (...noted) => void notes.push(noted)
  const { error, results } = await storage.forMigrations((migrating) =>
    createMigrator(migrating, { database: storage, modules, note }).migrateToLatest(),
  )
  if (error !== undefined) throw migrationError(error)
  for (const noted of notes) onNote(...noted)
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Whether the known migrations were run and no others. It is one query, where Kysely reads the schema three times. */
async function isMigrated(storage: Storage, modules: readonly Migrations[]): Promise<boolean> {
  const known = modules.flatMap((migrations) => Object.keys(migrations))
  try {
    const rows = await selectRunMigrations(storage).execute()
    const run = new Set(rows.map(({ name }) => name))
    return run.size === known.length && known.every((name) => run.has(name))
  } catch (error) {
    if (error instanceof AppError) throw error
    // A new database does not have the table.
    return false
  }
}

/** How far a database is, by the names of migrations. */
export interface MigrationState {
  /** What `migrate` would run. */
  pending: string[]
  /** What was run by a newer Mailyard: `migrate` refuses a database that has such. */
  newer: string[]
}

/** What `migrate` would find; it changes nothing. */
export async function inspectMigrations(
  storage: Storage,
  modules: readonly Migrations[],
): Promise<MigrationState> {
  const reading = { db: storage.tables<unknown>(), beforeEach: async () => undefined }
  const known = await createMigrator(reading, { database: storage, modules }).getMigrations()
  const names = new Set(known.map(({ name }) => name))
  return {
    pending: known.flatMap(({ name, executedAt }) => (executedAt === undefined ? [name] : [])),
    newer: (await findRunMigrations(storage)).filter((name) => !names.has(name)),
  }
}

async function findRunMigrations(storage: Storage): Promise<string[]> {
  const { introspection } = storage.tables()
  const tables = await introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === migrationTable)) return []
  const rows = await selectRunMigrations(storage).execute()
  return rows.map(({ name }) => name)
}

function selectRunMigrations(storage: Storage) {
  const db = storage.tables<{ [migrationTable]: { name: string } }>()
  return db.selectFrom(migrationTable).select('name')
}

interface MigratorOptions {
  database: DatabaseFeatures
  modules: readonly Migrations[]
  note?: Note
}

function createMigrator(
  { db, beforeEach }: Migrating,
  { database, modules, note = () => undefined }: MigratorOptions,
): Migrator {
  const steps = modules.flatMap((migrations) => Object.entries(migrations))
  const migrations = steps.map(([name, migration]): [string, KyselyMigration] => {
    const up = async (tx: Kysely<unknown>) => {
      await beforeEach(tx)
      await migration(tx, database, note)
    }
    return [name, { up }]
  })
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
    migrationTableName: migrationTable,
    migrationLockTableName: 'migration_lock',
    allowUnorderedMigrations: true,
  })
}

function migrationError(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    const message = 'The database was made by a newer Mailyard. Start that one.'
    return new AppError('upstream', 'database_newer', message, { cause: error })
  }
  return error
}
