import { ByteBudget } from '../kit/byte-budget.ts'
import type { Clock } from '../kit/clock.ts'
import { Hook } from '../kit/hooks.ts'
import type { Log } from '../kit/log.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { idleAll } from '../kit/worker.ts'
import { createMailer, type ParseDsnOptions } from '../libraries/mailer/index.ts'
import { createTwig } from '../libraries/twig/index.ts'
import { createSessionPruner, openAuth, type PasswordCost } from '../platform/auth/index.ts'
import {
  type Config,
  type ConfigReading,
  memoryMegabytes,
  publicUrl,
  SmtpEndpoint,
} from '../platform/config/index.ts'
import { type HttpReply, type HttpRequest, outboundRules } from '../platform/http/index.ts'
import type { Installation } from '../platform/installation/index.ts'
import { DeletedRecords } from '../platform/resource/index.ts'
import type { Keyring, Migrations, Storage } from '../platform/storage/index.ts'
import { Assignments } from './assignments/index.ts'
import { openBrands, SendingBrands } from './brands/index.ts'
import { openContacts } from './contacts/index.ts'
import { type DeliveryIntervals, defaultIntervals, ReturnPaths } from './delivery/index.ts'
import {
  createFindIncludingEmails,
  EmailReferences,
  emailReferences,
  openEmails,
  warnOfEmail,
} from './emails/index.ts'
import { Limiter, openLimits } from './limits/index.ts'
import { Mautics } from './mautic/index.ts'
import { createLintText } from './mime/index.ts'
import { PublishedEvents } from './published/index.ts'
import { findLastMessages } from './queue/index.ts'
import { AllowedRecipients, Sending, SendingHooks } from './sending/index.ts'
import { openSuppressions } from './suppressions/index.ts'
import {
  createLintTemplate,
  createVersionPruner,
  openTemplates,
  StoredTemplates,
} from './templates/index.ts'
import {
  createTransportTest,
  type GoogleEndpoints,
  openTransports,
  RefreshTokens,
} from './transports/index.ts'

const dayMs = 86_400_000
const megabyte = 1_048_576
/** The most simultaneous connections of one transport. */
const connectionsMax = 20

export interface CoreOptions {
  config: Config
  clock: Clock
  log: Log
  storage: Storage
  keyring: Keyring
  installation: Installation
  signingKeys: { links: Uint8Array; returnPaths: Uint8Array }
  migrations: readonly Migrations[]
  /** The settings as they were read at the start, for people. */
  reading?: Pick<ConfigReading, 'warnings' | 'settings'> | undefined
  /** Default: those of a service. */
  intervals?: DeliveryIntervals | undefined
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost | undefined
  /** Default: those of Google. */
  googleEndpoints?: GoogleEndpoints | undefined
  /** Sends requests to the APIs of providers. Default: by the outbound policy. */
  providerFetch?: typeof fetch | undefined
}

/** What every Mailyard has: all that a message needs, from the records to the server of its transport. Each part uses those above it. */
export type Core = ReturnType<typeof openCore>

/** Opens the core, from the lowest part to the highest. */
export function openCore(options: CoreOptions) {
  const { config, clock, log, storage, keyring, installation, signingKeys, passwordCost } = options
  const { intervals = defaultIntervals } = options
  const { mailerDsn: defaultDsn, mailerFrom: defaultFrom, bounceAddress } = config
  const rules = outboundRules(config)
  const url = publicUrl(config)
  const work = new WorkQueue()
  const answered = new Hook<[request: HttpRequest, reply: HttpReply]>()
  const memory = new ByteBudget(memoryMegabytes(config) * megabyte)
  const smtp = new SmtpEndpoint(config)
  const deleted = new DeletedRecords({ storage, clock, log, keepMs: config.deletedDays * dayMs })
  const published = new PublishedEvents()
  const auth = openAuth({
    storage,
    clock,
    log,
    isApiEnabled: config.isApiEnabled,
    isBasicEnabled: config.isBasicAuthEnabled,
    lifetimes: {
      accessSeconds: config.accessTokenLifetimeMinutes * 60,
      refreshSeconds: config.refreshTokenLifetimeDays * 86_400,
    },
    passwordCost,
    smtp,
    allowedRecipients: config.allowedRecipients,
    installation,
  })
  const hooks = new SendingHooks()
  const guard = new AllowedRecipients(config.allowedRecipients)
  const refreshTokens = new RefreshTokens({ storage, keyring, clock, log })
  const mailer = createMailer({
    clock,
    policy: rules,
    sourceAddresses: config.sourceAddresses,
    connectionsMax,
    capture: hooks.captureMessage,
    guard,
    refreshTokens,
    dkim: hooks,
    command: config.sendmailCommand,
  })
  // For DSNs that callers of a Mautic wrote: to public addresses and those on the allow-list. Nothing is signed for their servers,
  // which could collect messages that are signed for any domain.
  const publicMailer = createMailer({
    clock,
    policy: { ...rules, mode: 'public' },
    connectionsMax,
    capture: hooks.captureMessage,
    guard,
    refreshTokens,
  })
  const sendingBrands = new SendingBrands({ storage, log })
  const sendTest = createTransportTest({
    mailer,
    publicMailer,
    mailerFrom: defaultFrom,
    checkSender: sendingBrands.check,
    installation,
    log,
  })
  const dsnOptions = dsnOptionsOf(config)
  const transports = openTransports({
    storage,
    keyring,
    clock,
    log,
    dsnOptions,
    sendTest: sendTest.send,
    deleted,
  })
  const twig = createTwig({ now: () => new Date(clock.now()) })
  const templateSources = new StoredTemplates(storage, twig, work)
  const lint = createLintTemplate(twig, templateSources, work)
  const references = new EmailReferences(storage, templateSources)
  const findIncludingEmails = createFindIncludingEmails(storage, references)
  const templates = openTemplates({ storage, clock, lint, deleted, findIncludingEmails })
  const emails = openEmails({
    storage,
    clock,
    work,
    deleted,
    lintText: createLintText(twig),
    findWarnings: (email) => warnOfEmail(email, config.publicUrl !== undefined),
    usesTemplates: (email) => emailReferences(email, templateSources).length > 0,
  })
  const brands = openBrands({ storage, clock })
  const contacts = openContacts({ storage, clock, auth, deleted })
  const limits = openLimits({ storage, clock, transports })
  const limiter = new Limiter({ storage, clock, log })
  const suppressions = openSuppressions({ storage, clock, log, published })
  const mautics = new Mautics({
    storage,
    clock,
    keyring,
    log,
    auth,
    transports,
    smtp,
    suppressions,
    publicUrl: url,
    installation,
    reportIdleMs: options.intervals?.idleMs,
    findLastMessages: (ids) => findLastMessages(storage, ids),
    rules,
  })
  const { users } = auth
  const assignments = new Assignments({ storage, transports, emails, users, mautics })
  const returnPaths =
    bounceAddress === undefined
      ? undefined
      : new ReturnPaths({ address: bounceAddress, key: signingKeys.returnPaths, storage, clock })
  const delivery = new Sending({
    config,
    clock,
    log,
    intervals,
    storage,
    keyring,
    installation,
    work,
    twig,
    published,
    suppressions,
    emails,
    sendingBrands,
    contacts,
    transports,
    mautics,
    limiter,
    templateSources,
    hooks,
    mailer,
    publicMailer,
    linkKey: signingKeys.links,
    returnPaths,
  })
  const pruners = [
    createVersionPruner({ storage, log, keep: config.templateVersionsKeep }),
    createSessionPruner(storage, clock, log),
    refreshTokens.pruning,
    deleted.pruning,
  ]
  return {
    config,
    clock,
    log,
    reading: options.reading,
    migrations: options.migrations,
    googleEndpoints: options.googleEndpoints,
    providerFetch: options.providerFetch,
    storage,
    keyring,
    installation,
    work,
    memory,
    /** A request was answered. */
    answered,
    smtp,
    intervals,
    /** How often an outbox looks for what is due again, in milliseconds; undefined: its own default. */
    outboxIdleMs: options.intervals?.idleMs,
    rules,
    publicUrl: url,
    defaultDsn,
    defaultFrom,
    deleted,
    published,
    auth,
    hooks,
    guard,
    refreshTokens,
    sendTest,
    dsnOptions,
    transports,
    twig,
    templateSources,
    lint,
    references,
    templates,
    emails,
    brands,
    sendingBrands,
    contacts,
    limits,
    limiter,
    suppressions,
    mautics,
    assignments,
    returnPaths,
    delivery,
    /** Starts the delivery of queued messages, and the background tasks. */
    start: async (): Promise<void> => {
      await installation.start()
      const { allowedRecipients } = config
      if (allowedRecipients !== undefined)
        log.warn({ allowed: allowedRecipients.length }, 'mail is sent to allowed recipients only')
      for (const each of [...pruners, mautics]) each.start()
      await limiter.reload()
      await sendingBrands.start()
      await delivery.start()
    },
    /** Resolves when nothing is due any more: whether something was. */
    idle: () => idleAll([delivery, mautics, ...pruners]),
    stop: async (): Promise<void> => {
      for (const each of [delivery, mautics, ...pruners, installation]) await each.stop()
      await limiter.close()
      await sendingBrands.stop()
    },
  }
}

/** Returns which DSNs the configuration allows. */
export function dsnOptionsOf(config: Partial<Config>): ParseDsnOptions {
  const { sendmailCommand, sourceAddresses, bounceAddress } = config
  return {
    hasCommand: sendmailCommand !== undefined,
    hasInbox: true,
    hasReturnPaths: bounceAddress !== undefined,
    sourceAddresses,
  }
}
