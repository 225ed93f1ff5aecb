import type { App, AppOptions } from './app/app-parts.ts'
import { install } from './app/install.ts'
import { openAppKeyring } from './app/open-keyring.ts'
import { openRooms } from './app/open-rooms.ts'
import { assignmentMigrations } from './assignments/index.ts'
import { authMigrations } from './auth/index.ts'
import { contactMigrations } from './contacts/index.ts'
import { emailMigrations } from './emails/index.ts'
import { sendingMigrations } from './sending/index.ts'
import {
  findPendingMigrations,
  keyringMigrations,
  migrate,
  openStorage,
  type Storage,
} from './storage/index.ts'
import { templateMigrations } from './templates/index.ts'
import { transportMigrations } from './transports/index.ts'

export type { App, AppOptions } from './app/app-parts.ts'
export { createServer } from './app/create-server.ts'
export { openAppKeyring } from './app/open-keyring.ts'
export { dsnOptionsOf } from './app/open-rooms.ts'

const migrations = [
  keyringMigrations,
  authMigrations,
  emailMigrations,
  contactMigrations,
  transportMigrations,
  templateMigrations,
  assignmentMigrations,
  sendingMigrations,
]

/** Opens the database alone, and brings it up to date. Names what was done. */
export async function openDatabase({
  config,
  log,
}: Pick<AppOptions, 'config' | 'log'>): Promise<{ storage: Storage; migrated: string[] }> {
  const storage = openConfiguredStorage({ config, log })
  try {
    return { storage, migrated: await migrate(storage, migrations) }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/**
 * Opens the database as it is, and names the migrations that a start would run, and those that only a
 * newer Mailyard knows. It changes nothing.
 */
export async function inspectDatabase(
  options: Pick<AppOptions, 'config' | 'log'>,
): Promise<{ storage: Storage; pending: string[]; newer: string[] }> {
  const storage = openConfiguredStorage(options)
  try {
    const pending = await findPendingMigrations(storage, migrations)
    return { storage, pending, newer: await findNewerMigrations(storage) }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** Those that were run on the database, and that this Mailyard does not have. */
async function findNewerMigrations(storage: Storage): Promise<string[]> {
  const db = storage.tables<{ migrations: { name: string } }>()
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'migrations')) return []
  const known = new Set(migrations.flatMap((room) => Object.keys(room)))
  const run = await db.selectFrom('migrations').select('name').execute()
  return run.map(({ name }) => name).filter((name) => !known.has(name))
}

function openConfiguredStorage({ config, log }: Pick<AppOptions, 'config' | 'log'>): Storage {
  return openStorage({
    url: config.databaseUrl,
    onIdleError: (err) => log.warn({ err }, 'the database failed while nobody waited for it'),
  })
}

/** Opens the database and the rooms; makes the first administrator of a new installation. */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, clock } = options
  const { storage, migrated } = await openDatabase(options)
  if (migrated.length > 0) log.info({ migrated }, 'the database is up to date')
  try {
    const keyring = await openAppKeyring(config, { storage, clock })
    await install(storage, options)
    return openRooms({ ...options, storage, keyring })
  } catch (error) {
    await storage.close()
    throw error
  }
}
