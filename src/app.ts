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
} from './platform/storage/index.ts'

export type { App, AppOptions } from './app/index.ts'
export { createServer, dsnOptionsOf, openAppKeyring } from './app/index.ts'

type DatabaseOptions = Pick<AppOptions, 'config' | 'log'>

/** Opens the database alone and runs the pending migrations. Returns their names. */
export function openDatabase(
  options: DatabaseOptions,
): Promise<{ storage: Storage; migrated: string[] }> {
  const note: Note = (event, facts) => options.log.warn(facts, event)
  return openWith(options, async (storage) => ({
    migrated: await migrate(storage, migrations, note),
  }))
}

/** Opens the database without changing it, and returns the state of its migrations. */
export function inspectDatabase(
  options: DatabaseOptions,
): Promise<{ storage: Storage } & MigrationState> {
  return openWith(options, (storage) => inspectMigrations(storage, migrations))
}

/** Opens the database and returns it with the result of its first use; closes it if that fails. */
async function openWith<Result>(
  { config, log }: DatabaseOptions,
  use: (storage: Storage) => Promise<Result>,
): Promise<{ storage: Storage } & Result> {
  const storage = openStorage({
    url: config.databaseUrl,
    onIdleError: (err) => log.warn({ err }, 'idle database connection failed'),
  })
  try {
    return { storage, ...(await use(storage)) }
  } catch (error) {
    await storage.close()
    throw explainStartFailure(error, config.databaseUrl)
  }
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
