import type { Transaction } from 'kysely'
import { assignmentMigrations } from '../core/assignments/index.ts'
import { brandMigrations } from '../core/brands/index.ts'
import { contactMigrations } from '../core/contacts/index.ts'
import { type DeliveryIntervals, deliveryMigrations } from '../core/delivery/index.ts'
import { type EmailTables, emailMigrations, installSampleEmail } from '../core/emails/index.ts'
import { limitMigrations } from '../core/limits/index.ts'
import { mauticMigrations } from '../core/mautic/index.ts'
import { queueMigrations } from '../core/queue/index.ts'
import { suppressionMigrations } from '../core/suppressions/index.ts'
import { templateMigrations } from '../core/templates/index.ts'
import { type GoogleEndpoints, transportMigrations } from '../core/transports/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { receivedEventsMigrations, transportWebhookMigrations } from '../modules/events/index.ts'
import { conditionMigrations } from '../modules/health/index.ts'
import { inboxMigrations } from '../modules/inbox/index.ts'
import { dkimMigrations, senderMigrations } from '../modules/senders/index.ts'
import { webhookMigrations } from '../modules/webhooks/index.ts'
import {
  type AuthTables,
  accountsLock,
  authMigrations,
  createPasswordLink,
  hashPassword,
  installAdministrator,
  isWithoutUsers,
  type PasswordCost,
} from '../platform/auth/index.ts'
import { type Config, type ConfigReading, publicUrl } from '../platform/config/index.ts'
import { installationMigrations } from '../platform/installation/index.ts'
import { deletedRecordMigrations } from '../platform/resource/index.ts'
import {
  explainStartFailure,
  inspectMigrations,
  keyringMigrations,
  type Migrated,
  type MigrationState,
  migrate,
  openStorage,
  type Storage,
} from '../platform/storage/index.ts'

export interface AppOptions {
  config: Config
  /** The settings as they were read at the start, for people. */
  reading?: Pick<ConfigReading, 'warnings' | 'settings'>
  /** Reads the configuration again, for files that have changed, such as certificates. Throws an AppError (`invalid`). */
  rereadConfig: () => Config
  log: Log
  /** Whether a person has made a back-up of the database, so that an upgrade needs no copy. */
  isBackedUp?: boolean
  clock: Clock
  /** Returns random text, for request ids. */
  createSecret: () => string
  /** For one command: the caller of every request, which needs no log-in then, and what it asks. Default: the server of a service. */
  command?: { caller: Caller; paths: ReadonlySet<string> | undefined } | undefined
  /** Default: those of a service. */
  intervals?: DeliveryIntervals | undefined
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost
  /** How long a Mautic may take to answer a forwarded request. Default: that of the gateway. */
  mauticAnswerMs?: number
  /** Default: those of Google. */
  googleEndpoints?: GoogleEndpoints
  /** Sends requests to the APIs of providers. Default: by the outbound policy. */
  providerFetch?: typeof fetch
}

/** How the first administrator of a new installation logs in. */
export interface FirstLogin {
  username: string
  /** Of the console and the API. */
  url: string
  /** Opens the console, which asks for a password. */
  link: string
}

type DatabaseOptions = Pick<AppOptions, 'config' | 'log' | 'isBackedUp'>

/** Opens the database alone and runs the pending migrations. */
export function openDatabase(
  options: DatabaseOptions,
): Promise<{ storage: Storage; migrated: Migrated }> {
  return openWith(options, async (storage) => ({
    migrated: await migrate(storage, migrations, { isBackedUp: options.isBackedUp }),
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

/** Those of all modules, also of one that is left out. */
export const migrations = [
  keyringMigrations,
  installationMigrations,
  deletedRecordMigrations,
  authMigrations,
  emailMigrations,
  brandMigrations,
  contactMigrations,
  transportMigrations,
  inboxMigrations,
  templateMigrations,
  deliveryMigrations,
  queueMigrations,
  suppressionMigrations,
  limitMigrations,
  mauticMigrations,
  assignmentMigrations,
  webhookMigrations,
  receivedEventsMigrations,
  transportWebhookMigrations,
  conditionMigrations,
  senderMigrations,
  dkimMigrations,
]

/** Creates the first administrator and a sample email in a new database. */
export async function install(
  storage: Storage,
  options: AppOptions,
): Promise<FirstLogin | undefined> {
  const { config, log, clock, createSecret, passwordCost } = options
  const { adminUsername: username, adminEmail: email, adminPassword } = config
  const isNew = await storage.transaction((tx: Transaction<AuthTables>) => isWithoutUsers(tx))
  if (!isNew) return undefined
  // Without one in the settings, it is known to no one: the link sets another.
  const passwordHash = await hashPassword(adminPassword ?? createSecret(), passwordCost)
  const linkToken = await storage.transaction(async (tx: Transaction<AuthTables & EmailTables>) => {
    await storage.lock(tx, accountsLock)
    const accounts = tx.withTables<AuthTables>()
    if (!(await isWithoutUsers(accounts))) return undefined
    const userId = await installAdministrator(accounts, { username, email, passwordHash }, clock)
    await installSampleEmail(tx.withTables<EmailTables>(), clock)
    return createPasswordLink(accounts, { userId, clock })
  })
  if (linkToken === undefined) return undefined
  log.info({ username }, 'first administrator created')
  if (adminPassword !== undefined) return undefined
  // In the fragment: no server, proxy or log gets it.
  const url = publicUrl(config)
  return { username, url, link: `${url}/set-password#${linkToken}` }
}
