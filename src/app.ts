import { resolve } from 'node:path'
import type { App, AppOptions } from './app/index.ts'
import { install, migrations, openAppKeyring, openModules } from './app/index.ts'
import {
  explainStartFailure,
  inspectMigrations,
  type MigrationState,
  migrate,
  type Note,
  openSigningKey,
  openStorage,
  type Storage,
} from './storage/index.ts'

export type { App, AppOptions } from './app/index.ts'
export {
  createServer,
  dsnOptionsOf,
  openAppKeyring,
} from './app/index.ts'

/** Opens the database alone and runs the pending migrations. Returns their names. */
export async function openDatabase({
  config,
  log,
}: Pick<AppOptions, 'config' | 'log'>): Promise<{ storage: Storage; migrated: string[] }> {
  const storage = openConfiguredStorage({ config, log })
  try {
    const note: Note = (event, facts) => log.warn(facts, event)
    return { storage, migrated: await migrate(storage, migrations, note) }
  } catch (error) {
    await storage.close()
    throw explainStartFailure(error, config.databaseUrl)
  }
}

/** Opens the database without changing it, and returns the state of its migrations. */
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
    onIdleError: (err) => log.warn({ err }, 'idle database connection failed'),
  })
}

/** Opens the database and the modules, and creates the first administrator of a new database. */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, clock } = options
  const { storage, migrated } = await openDatabase(options)
  if (migrated.length === migrations.flatMap(Object.keys).length) {
    const [, file] = /^sqlite:(.+)$/.exec(config.databaseUrl) ?? []
    log.info({ path: file && resolve(file), migrations: migrated.length }, 'database created')
  } else if (migrated.length > 0) log.info({ migrated }, 'database migrated')
  try {
    const keyring = await openAppKeyring(config, { storage, clock })
    await install(storage, options)
    const links = await openSigningKey({ storage, keyring }, 'links')
    const returnPaths = await openSigningKey({ storage, keyring }, 'return paths')
    return openModules(options, { storage, keyring, signingKeys: { links, returnPaths } })
  } catch (error) {
    await storage.close()
    throw error
  }
}
