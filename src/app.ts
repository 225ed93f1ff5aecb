import type { App, AppOptions } from './app/app-parts.ts'
import { install } from './app/install.ts'
import { openAppKeyring } from './app/open-keyring.ts'
import { openRooms } from './app/open-rooms.ts'
import { assignmentMigrations } from './assignments/index.ts'
import { authMigrations } from './auth/index.ts'
import { contactMigrations } from './contacts/index.ts'
import { emailMigrations } from './emails/index.ts'
import { inboxMigrations } from './inbox/index.ts'
import { sendingMigrations } from './sending/index.ts'
import {
  explainStartFailure,
  inspectMigrations,
  keyringMigrations,
  type MigrationState,
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
  inboxMigrations,
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
    throw explainStartFailure(error, config.databaseUrl)
  }
}

/** Opens the database as it is, and says what a start would find. It changes nothing. */
export async function inspectDatabase(
  options: Pick<AppOptions, 'config' | 'log'>,
): Promise<{ storage: Storage } & MigrationState> {
  const storage = openConfiguredStorage(options)
  try {
    return { storage, ...(await inspectMigrations(storage, migrations)) }
  } catch (error) {
    await storage.close()
    throw explainStartFailure(error, options.config.databaseUrl)
  }
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
