import type { Kysely } from 'kysely'
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration'
import { AppError } from '../../kit/app-error.ts'
import type { DatabaseFeatures } from './features.ts'
import type { Migrating, Storage } from './storage.ts'

const migrationTable = 'migrations'

/** One step of the schema, in plain Kysely; `database` is for what the databases spell differently. */
export type Migration = (db: Kysely<unknown>, database: DatabaseFeatures) => Promise<void>

/**
 * The migrations of a module by name. They run in the order of their names, over all modules. A name begins with the version
 * that brings it, two digits for each part, so that 0.10 sorts after 0.2, and a number in it: `00.01.00_10_users`. A
 * migration of a released version never changes, nor does its name: what comes later is another one, `00.02.00_10_users`.
 */
export type Migrations = Readonly<Record<string, Migration>>

/** What `migrate` did. */
export interface Migrated {
  /** The migrations that ran. */
  names: string[]
  /** The version of the database before; undefined if it was created. */
  from: string | undefined
  to: string | undefined
  /** The copy that was made before, where the database is a file. */
  copy: string | undefined
}

/**
 * Runs the pending migrations in one transaction. When several processes start together, one of them does it and the
 * others wait.
 *
 * @param isBackedUp Whether there is a back-up. Else a database that is upgraded is copied before, or refused if it is no file.
 */
export async function migrate(
  storage: Storage,
  modules: readonly Migrations[],
  { isBackedUp = false }: { isBackedUp?: boolean | undefined } = {},
): Promise<Migrated> {
  const { pending, newer, version: from } = await inspectMigrations(storage, modules)
  if (newer.length > 0) {
    const message = 'The database was made by a newer Mailyard. Start that one.'
    throw new AppError('upstream', 'database_newer', message)
  }
  const to = latestVersion(modules.flatMap(Object.keys))
  if (pending.length === 0) return { names: [], from, to, copy: undefined }
  const isUpgrade = from !== undefined && !isBackedUp
  const copy = isUpgrade ? storage.prepareUpgrade({ from, to: to ?? from }) : undefined
  const { error, results = [] } = await storage.forMigrations((migrating) =>
    createMigrator(migrating, storage, modules).migrateToLatest(),
  )
  if (error !== undefined) throw error as Error
  return { names: results.map(({ migrationName }) => migrationName), from, to, copy }
}

/** How far a database is, by the names of migrations. */
export interface MigrationState {
  /** What `migrate` would run. */
  pending: string[]
  /** What was run by a newer Mailyard: `migrate` refuses a database that has such. */
  newer: string[]
}

/**
 * What `migrate` would find; it changes nothing.
 *
 * @returns Also the version of the database; undefined for a new one.
 * @throws AppError (`conflict`) if it was made before the first release.
 */
export async function inspectMigrations(
  storage: Storage,
  modules: readonly Migrations[],
): Promise<MigrationState & { version: string | undefined }> {
  const known = modules.flatMap(Object.keys).sort()
  const run = await findRunMigrations(storage)
  const unknown = run.filter((name) => !known.includes(name))
  if (unknown.some((name) => versionOf(name) === undefined))
    throw new AppError('conflict', 'database_unreleased', unreleased)
  return {
    pending: known.filter((name) => !run.includes(name)),
    newer: unknown,
    version: latestVersion(run),
  }
}

const unreleased =
  'The database was made before Mailyard 0.1.0, and cannot be upgraded. Nothing was changed in it. Set MAILYARD_DATABASE_URL to a new ' +
  'database. The version that made this one can still list its records: `mailyard transports list --json`.'

/** The version in the name of a migration: `0.1.0`. */
function versionOf(name: string): string | undefined {
  const [, ...parts] = /^(\d\d)\.(\d\d)\.(\d\d)_/.exec(name) ?? []
  return parts.length === 0 ? undefined : parts.map(Number).join('.')
}

function latestVersion(names: readonly string[]): string | undefined {
  return versionOf(names.toSorted().at(-1) ?? '')
}

/** One query, where Kysely would read the schema three times. */
async function findRunMigrations(storage: Storage): Promise<string[]> {
  const db = storage.tables<{ [migrationTable]: { name: string } }>()
  const select = () => db.selectFrom(migrationTable).select('name').execute()
  try {
    return (await select()).map(({ name }) => name)
  } catch (error) {
    if (error instanceof AppError) throw error
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
    // Another process may have created it since.
    const isThere = tables.some(({ name }) => name === migrationTable)
    return isThere ? (await select()).map(({ name }) => name) : []
  }
}

function createMigrator(
  { db, beforeEach }: Migrating,
  database: DatabaseFeatures,
  modules: readonly Migrations[],
): Migrator {
  const steps = modules.flatMap((migrations) => Object.entries(migrations))
  const migrations = steps.map(([name, migration]): [string, KyselyMigration] => {
    const up = async (tx: Kysely<unknown>) => {
      await beforeEach(tx)
      await migration(tx, database)
    }
    return [name, { up }]
  })
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
    migrationTableName: migrationTable,
    migrationLockTableName: 'migration_lock',
    // A correction of 0.1 may come after 0.2.
    allowUnorderedMigrations: true,
  })
}
