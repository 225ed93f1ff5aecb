import { readFileSync } from 'node:fs'
import type { Transaction } from 'kysely'
import {
  type Assignments,
  addAssignmentRoutes,
  assignmentMigrations,
  openAssignments,
} from './assignments/index.ts'
import {
  type Auth,
  type AuthTables,
  accountsLock,
  authMigrations,
  hashPassword,
  installAdministrator,
  isWithoutUsers,
  openAuth,
} from './auth/index.ts'
import type { Config } from './config/index.ts'
import {
  addContactRoutes,
  type Contacts,
  contactMigrations,
  openContacts,
} from './contacts/index.ts'
import {
  addEmailRoutes,
  type Emails,
  type EmailTables,
  emailMigrations,
  installSampleEmail,
  openEmails,
} from './emails/index.ts'
import {
  addHealthRoutes,
  addOpenApi,
  createCallers,
  createHttpServer,
  type DeclaredRoute,
  type HttpApp,
} from './http/index.ts'
import { AppError } from './kit/app-error.ts'
import type { Clock } from './kit/clock.ts'
import type { Log } from './kit/log.ts'
import { createMailer } from './mailer/index.ts'
import {
  commitSecretKey,
  createSecretKey,
  findSecretKey,
  findStagedSecretKey,
  hasDataKeys,
  type Keyring,
  keyringMigrations,
  migrate,
  openKeyring,
  openStorage,
  type Storage,
  secretKeyPath,
} from './storage/index.ts'
import {
  addTemplateRoutes,
  openTemplates,
  type Templates,
  templateMigrations,
} from './templates/index.ts'
import {
  addTransportRoutes,
  createSendTest,
  openTransports,
  type Transports,
  transportMigrations,
} from './transports/index.ts'
import { createTwig } from './twig/index.ts'

/** What an app is opened with. */
export interface AppOptions {
  config: Config
  log: Log
  clock: Clock
  /** Text that nobody guesses: ids of requests, the first administrator's password. */
  createSecret: () => string
  /** Tells the operator, once, the password that was made up for the first administrator. */
  showPassword: (username: string, password: string) => void
}

/** The rooms, opened and knowing what they need of each other. */
export interface App {
  storage: Storage
  keyring: Keyring
  auth: Auth
  emails: Emails
  contacts: Contacts
  transports: Transports
  templates: Templates
  assignments: Assignments
  close(): Promise<void>
}

const migrations = [
  keyringMigrations,
  authMigrations,
  emailMigrations,
  contactMigrations,
  transportMigrations,
  templateMigrations,
  assignmentMigrations,
]

/** The version of this Mailyard. */
export const version: string = readVersion()

/** Opens the database alone, and brings it up to date. Names what was done. */
export async function openDatabase({
  config,
  log,
}: Pick<AppOptions, 'config' | 'log'>): Promise<{ storage: Storage; migrated: string[] }> {
  const storage = openStorage({
    url: config.databaseUrl,
    onIdleError: (err) => log.warn({ err }, 'a connection to the database was lost'),
  })
  try {
    return { storage, migrated: await migrate(storage, migrations) }
  } catch (error) {
    await storage.close()
    throw error
  }
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

function openRooms(parts: AppOptions & { storage: Storage; keyring: Keyring }): App {
  const { config, storage } = parts
  const auth = openAuth({
    ...parts,
    isApiEnabled: config.isApiEnabled,
    isBasicEnabled: config.isBasicAuthEnabled,
    lifetimes: {
      accessSeconds: config.accessTokenLifetimeMinutes * 60,
      refreshSeconds: config.refreshTokenLifetimeDays * 86_400,
    },
  })
  const emails = openEmails(parts)
  const contacts = openContacts({ ...parts, findOwners: (ids) => auth.findUsers(ids) })
  const transports = openTransports({ ...parts, dsnOptions: {} })
  const templates = openTemplates({ ...parts, twig: createTwig() })
  const assignments = openAssignments({ storage, emails, users: auth.users, transports })
  const close = () => storage.close()
  return { ...parts, auth, emails, contacts, transports, templates, assignments, close }
}

/** The HTTP door of an app. It listens nowhere yet; `onRoute` is told of each of its routes. */
export function createServer(
  app: App,
  { config, log, createSecret }: AppOptions,
  onRoute?: (route: DeclaredRoute) => void,
): HttpApp {
  const { auth, emails, contacts, transports, templates, assignments } = app
  const callers = createCallers()
  const server = createHttpServer({
    log,
    createRequestId: createRequestIds(createSecret()),
    trustedProxies: config.trustedProxies,
    onRoute,
  })
  const mailer = createMailer()
  const sendTest = createSendTest({ mailer, mailerFrom: config.mailerFrom, log })
  addOpenApi(server, { version, tags: [] })
  addHealthRoutes(server, () => app.storage.ping())
  auth.addGuard(server, callers)
  auth.addRoutes(server, callers)
  addEmailRoutes(server, { emails, callers })
  addContactRoutes(server, { contacts, callers })
  addTransportRoutes(server, { transports, sendTest, callers, dsnOptions: {} })
  addTemplateRoutes(server, { templates, callers })
  addAssignmentRoutes(server, { assignments, callers })
  return server
}

/** With the secret key of the setting, or of the key file, which a new database is given. */
async function openAppKeyring(
  config: Config,
  parts: { storage: Storage; clock: Clock },
): Promise<Keyring> {
  if (config.secretKey !== undefined) return openKeyring({ ...parts, secretKey: config.secretKey })
  const path = secretKeyPath(config.databaseUrl)
  if (path === undefined) throw secretKeyMissing()
  const secretKey = findSecretKey(path) ?? (await createMissingKey(path, parts.storage))
  try {
    return await openKeyring({ ...parts, secretKey })
  } catch (error) {
    // A change of the secret key was cut short after the data keys were wrapped under the new one.
    const staged = findStagedSecretKey(path)
    if (staged === undefined || !(error instanceof AppError)) throw error
    const keyring = await openKeyring({ ...parts, secretKey: staged })
    commitSecretKey(path)
    return keyring
  }
}

async function createMissingKey(path: string, storage: Storage): Promise<string> {
  if (await hasDataKeys(storage)) throw keyFileMissing(path)
  return createSecretKey(path)
}

function secretKeyMissing(): AppError {
  const message =
    'MAILYARD_SECRET_KEY must be set with PostgreSQL, so that every process has the same; ' +
    '`openssl rand -base64 32` makes one.'
  return new AppError('invalid', 'secret_key_missing', message)
}

function keyFileMissing(path: string): AppError {
  const message =
    `The key file ${path} is gone, and without it the secrets in the database cannot be read. ` +
    'Put it back, or set MAILYARD_SECRET_KEY to what was in it.'
  return new AppError('invalid', 'key_file_missing', message)
}

/** A new installation gets its first administrator, and one email to try things with. */
async function install(storage: Storage, options: AppOptions): Promise<void> {
  const { config, log, clock, createSecret } = options
  const { adminUsername: username, adminEmail: email, adminPassword } = config
  const isNew = await storage.transaction((tx: Transaction<AuthTables>) => isWithoutUsers(tx))
  if (!isNew) return
  const password = adminPassword ?? createSecret()
  const passwordHash = await hashPassword(password)
  const isInstalled = await storage.transaction(
    async (tx: Transaction<AuthTables & EmailTables>) => {
      await storage.lock(tx, accountsLock)
      const accounts = tx.withTables<AuthTables>()
      if (!(await isWithoutUsers(accounts))) return false
      await installAdministrator(accounts, { username, email, passwordHash }, clock)
      await installSampleEmail(tx.withTables<EmailTables>(), clock)
      return true
    },
  )
  if (!isInstalled) return
  log.info({ username }, 'the first administrator was made')
  if (adminPassword === undefined) options.showPassword(username, password)
}

/** Short ids that no other process gives. */
function createRequestIds(seed: string): () => string {
  const prefix = seed.slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

function readVersion(): string {
  const path = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
