import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type App, type AppOptions, createServer, dsnOptionsOf, openApp } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, operatorName } from '../../kit/caller.ts'
import { systemClock } from '../../kit/clock.ts'
import { createLog, type Log, openPrettyOutput } from '../../kit/log.ts'
import { DsnError, parseDsn } from '../../libraries/mailer/index.ts'
import {
  type Config,
  type ConfigReading,
  defaultConfig,
  findMemoryFault,
  readConfig,
} from '../../platform/config/index.ts'
import { databaseFile } from '../../platform/storage/index.ts'
import { ApiClient } from './api/client.ts'
import { commandName } from './command-name.ts'
import type { CliEnvironment } from './output.ts'

/** The caller of commands. Users who can run commands on the machine have all permissions. */
export const operator: Caller = {
  userId: undefined,
  name: operatorName,
  email: undefined,
  isAdmin: true,
  brands: 'all',
  can: () => true,
}

/** Reads the configuration, with the checks of other modules. Throws an AppError (`invalid`) with every fault. */
export function readSettings(environment: CliEnvironment): ConfigReading {
  return readConfig(environment.env, environment.cwd(), {
    mailerDsn: findDsnFault,
    memoryMegabytesMax: findMemoryFault,
  })
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

/** Opens the log, on standard output: readable lines in a terminal, else JSON. */
function openLog(
  { env, stdout }: Pick<CliEnvironment, 'env' | 'stdout'>,
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
): Log {
  const isTerminal = stdout.isTTY === true
  if ((logFormat ?? (isTerminal ? 'pretty' : 'json')) === 'json') {
    // pino opens standard output itself, which is quicker than to write through `process.stdout`.
    return stdout === process.stdout ? createLog(logLevel) : createLog(logLevel, stdout)
  }
  const hasColors = isTerminal && (env['NO_COLOR'] ?? '') === ''
  return createLog(logLevel, openPrettyOutput({ write: (text) => stdout.write(text), hasColors }))
}

/** Returns the options of the app that serves. Logs a warning for each unknown setting. */
export function readAppOptions(environment: CliEnvironment): AppOptions {
  return readOptions(environment, (config) => openLog(environment, config))
}

/** Returns the options of the app for one command: only warnings are logged, on standard error, and no setting disables the API. */
export function readCommandOptions(environment: CliEnvironment): AppOptions {
  const { env, stderr } = environment
  const options = readOptions(environment, ({ logFormat }) =>
    openLog({ env, stdout: stderr }, { logLevel: 'warn', logFormat }),
  )
  return { ...options, config: { ...options.config, isApiEnabled: true } }
}

function readOptions(environment: CliEnvironment, open: (config: Config) => Log): AppOptions {
  const { config, ...reading } = readSettings(environment)
  const log = open(config)
  for (const warning of reading.warnings) log.warn(warning)
  return {
    config,
    reading,
    rereadConfig: () => readSettings(environment).config,
    log,
    clock: systemClock,
    intervals: environment.intervals,
    createSecret: () => randomBytes(18).toString('base64url'),
  }
}

/** Tells the person at the first start how to log in. */
export function showFirstLogin({ stderr }: CliEnvironment, { firstLogin }: App): void {
  if (firstLogin === undefined) return
  const { url, username, link } = firstLogin
  stderr.write(`
  Console and API: ${url}
  Choose the password of ${username} within a day: ${link}
  Then create a transport: the overview of the console lists the steps.

`)
}

/**
 * Opens the app for one command and closes it afterwards. Only warnings are logged, on standard error. A missing database is created if
 * `mayBeNew`; otherwise an AppError (`not_found`) is thrown.
 */
export async function withApp<T>(
  environment: CliEnvironment,
  work: (app: App, options: AppOptions) => Promise<T>,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): Promise<T> {
  const options = readCommandOptions(environment)
  const missing = findMissingDatabase(options.config)
  if (missing !== undefined && !mayBeNew) throw databaseMissing(missing)
  const app = await openApp(options)
  try {
    if (missing !== undefined) environment.stderr.write(databaseCreated(missing))
    showFirstLogin(environment, app)
    return await work(app, options)
  } finally {
    await app.close()
  }
}

/**
 * Opens the app and its API for one command, as `withApp` does. The operator is the caller of every request. With `paths`, the API has
 * these only.
 */
export async function withApi<T>(
  environment: CliEnvironment,
  work: (api: ApiClient, app: App) => Promise<T>,
  { paths, ...options }: { mayBeNew?: boolean; paths?: ReadonlySet<string> } = {},
): Promise<T> {
  return withApp(
    environment,
    async (app, appOptions) => {
      const { adminEmail } = appOptions.config
      const isSet = adminEmail !== defaultConfig().adminEmail
      const caller = { ...operator, email: isSet ? adminEmail : undefined }
      const server = await createServer(app, { ...appOptions, command: { caller, paths } })
      try {
        return await work(new ApiClient(server), app)
      } finally {
        await server.close()
      }
    },
    options,
  )
}

/**
 * Makes this process one of those that send: its heartbeat says that it lives, and what an ended one has left is free. What it may send
 * itself is limited and signed as by the service.
 */
export async function joinService({
  delivery,
  limiter,
  sendingBrands,
  modules,
}: App): Promise<void> {
  await delivery.processes.start()
  await delivery.processes.expireSilent()
  await limiter.reload()
  await sendingBrands.load()
  for (const each of modules) await each.join?.()
}

/** Returns the full path of the configured SQLite file if it does not exist; undefined otherwise, and for PostgreSQL. */
export function findMissingDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>) {
  const path = databaseFile(databaseUrl)
  return path === undefined || existsSync(path) ? undefined : resolve(path)
}

export function databaseMissing(path: string): AppError {
  const message =
    `Database ${path} was not found. Check MAILYARD_DATABASE_URL and the current folder; ` +
    `\`${commandName} migrate\` creates a new database.`
  return new AppError('not_found', 'database_missing', message)
}

export const databaseCreated = (path: string) => `A new database was created: ${path}\n`
