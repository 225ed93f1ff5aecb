import { randomBytes } from 'node:crypto'
import { type App, type AppOptions, dsnOptionsOf, openApp } from '../app.ts'
import { type Config, type ConfigReading, readConfig } from '../config/index.ts'
import type { Caller } from '../kit/caller.ts'
import { systemClock } from '../kit/clock.ts'
import { createLog, type Log } from '../kit/log.ts'
import { openPrettyOutput } from '../kit/pretty-output.ts'
import { DsnError, parseDsn } from '../mailer/index.ts'
import { databaseMissing, findMissingDatabase, newDatabaseMade } from './missing-database.ts'
import type { Surroundings } from './surroundings.ts'

/** Whoever may run commands on the machine may do everything. */
export const operator: Caller = {
  userId: undefined,
  name: 'Operator',
  email: undefined,
  isAdmin: true,
  can: () => true,
}

/** The settings, checked by the rooms that know what they mean. Throws an AppError with every fault. */
export function readSettings(surroundings: Surroundings): ConfigReading {
  return readConfig(surroundings.env, surroundings.cwd(), { mailerDsn: findDsnFault })
}

function findDsnFault({ mailerDsn, ...config }: Partial<Config>): string | undefined {
  if (mailerDsn === undefined) return undefined
  try {
    parseDsn(mailerDsn, dsnOptionsOf(config))
    return undefined
  } catch (error) {
    if (error instanceof DsnError) return error.message
    throw error
  }
}

/** The log on standard output, for a person in a terminal or for a program. */
function openLog(
  { env, stdout }: Surroundings,
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
): Log {
  const isTerminal = stdout.isTTY === true
  if ((logFormat ?? (isTerminal ? 'pretty' : 'json')) === 'json') return createLog(logLevel)
  const hasColors = isTerminal && (env['NO_COLOR'] ?? '') === ''
  return createLog(logLevel, openPrettyOutput({ write: (text) => stdout.write(text), hasColors }))
}

/** What an app is opened with, as the surroundings say; warns of misspelt settings. */
export function readAppOptions(surroundings: Surroundings): AppOptions {
  const { config, warnings } = readSettings(surroundings)
  const log = openLog(surroundings, config)
  for (const warning of warnings) log.warn(warning)
  return {
    config,
    rereadConfig: () => readSettings(surroundings).config,
    log,
    clock: systemClock,
    createSecret: () => randomBytes(18).toString('base64url'),
    showPassword: (username, password) => {
      surroundings.stderr.write(
        `\n  Log in as ${username} with the password ${password}\n  It is shown this once; change it with: mailyard user password ${username}\n  (in a checkout: npm run mailyard -- user password ${username})\n\n`,
      )
    },
  }
}

/**
 * Opens the app for one command, quietly, and closes it whatever happens. A database must be there, but for what may come
 * before the first start: that makes one, and says so.
 */
export async function withApp<T>(
  surroundings: Surroundings,
  work: (app: App) => Promise<T>,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): Promise<T> {
  const options = readAppOptions(surroundings)
  const missing = findMissingDatabase(options.config)
  if (missing !== undefined && !mayBeNew) throw databaseMissing(missing)
  const app = await openApp({
    ...options,
    log: openLog(surroundings, { ...options.config, logLevel: 'warn' }),
  })
  try {
    if (missing !== undefined) surroundings.stderr.write(newDatabaseMade(missing))
    return await work(app)
  } finally {
    await app.close()
  }
}
