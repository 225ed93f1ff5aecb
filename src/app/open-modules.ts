import { Assignments, AssignmentTargets, restoreEmail } from '../assignments/index.ts'
import { type AuthOptions, createSessionPruner, openAuth } from '../auth/index.ts'
import { type Config, memoryMegabytes } from '../config/index.ts'
import { type Contacts, type ContactsOptions, openContacts } from '../contacts/index.ts'
import { type Emails, openEmails } from '../emails/index.ts'
import { Inbox } from '../inbox/index.ts'
import { ByteBudget } from '../kit/byte-budget.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { Limiter, openLimits } from '../limits/index.ts'
import { type Capture, createMailer, type ParseDsnOptions } from '../mailer/index.ts'
import type { Mautics } from '../mautic/index.ts'
import {
  createFindIncludingEmails,
  createLintText,
  emailReferences,
  type Links,
  openLinks,
  warnOfEmail,
} from '../messages/index.ts'
import { Metrics } from '../metrics/index.ts'
import { openRelay, type SmtpServer } from '../relay/index.ts'
import { DeletedRecords } from '../resource/index.ts'
import { openSuppressions, type Suppressions } from '../suppressions/index.ts'
import {
  createLintTemplate,
  createVersionPruner,
  openTemplateSources,
  openTemplates,
  type Templates,
} from '../templates/index.ts'
import {
  createSendTest,
  findTransportIds,
  openTransports,
  RefreshTokens,
  type SendTest,
  type Transports,
} from '../transports/index.ts'
import { createTwig } from '../twig/index.ts'
import type { App, ModuleParts } from './app-parts.ts'
import { openDelivery } from './open-delivery.ts'
import { openAppGateway } from './open-gateway.ts'
import { openAppMautics } from './open-mautics.ts'
import { outboundRules } from './outbound-rules.ts'
import {
  describeUserRemoval,
  releaseEmail,
  releaseTransport,
  restoreTransport,
} from './release-uses.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const secondMs = 1_000
const minuteMs = 60_000
const megabyte = 1_048_576

/** Opens the modules, from the lowest layer to the highest. */
export function openModules(parts: ModuleParts): App {
  const { config, storage } = parts
  const work = new WorkQueue()
  const memory = new ByteBudget(memoryMegabytes(config) * megabyte)
  const auth = openAppAuth(parts, (login) => mautics.findLogin(login))
  const suppressions = openAppSuppressions(parts, () => mautics.reports)
  const mautics = openAppMautics(parts, { auth, suppressions }, () => ({ ...modules, delivery }))
  const gateway = openAppGateway(parts, { auth, mautics })
  const twig = createTwig()
  const templateSources = openTemplateSources(storage, twig, work)
  const deleted = openDeletedRecords(parts)
  const emails = openAppEmails(parts, { twig, templateSources, work, deleted })
  const contacts = openAppContacts(parts, { auth, deleted })
  const limited = openAppLimits(parts)
  const inbox = openAppInbox(parts, work)
  const refreshTokens = new RefreshTokens({
    storage,
    keyring: parts.keyring,
    clock: parts.clock,
    log: parts.log,
  })
  const mailers = openMailers(config, inbox, refreshTokens)
  const sendTest = openSendTest(parts, mailers)
  const transports = openAppTransports(parts, { mautics, deleted, sendTest, ...limited })
  const lint = createLintTemplate(twig, templateSources, work)
  const templates = openAppTemplates(parts, { deleted, lint, mautics, templateSources })
  const targets = new AssignmentTargets({ emails, users: auth.users, mautics })
  const assignments = new Assignments({ storage, transports, targets })
  const modules = {
    auth,
    emails,
    contacts,
    suppressions,
    transports,
    ...limited,
    templates,
    assignments,
    mautics,
    gateway,
    twig,
    templateSources,
    lint,
  }
  const pruners = [...openPruners(parts), refreshTokens]
  const metrics = new Metrics({ ...parts, modules: () => ({ ...modules, delivery }) })
  const delivery = openAppDelivery(parts, { ...modules, ...mailers, work, metrics })
  return {
    ...parts,
    ...modules,
    ...mailers,
    work,
    memory,
    deleted,
    inbox,
    refreshTokens,
    sendTest,
    delivery,
    metrics,
    async start() {
      for (const each of [inbox, ...pruners, deleted, mautics]) each.start()
      await modules.limiter.reload()
      await delivery.start()
    },
    openSmtpServer: () => openAppSmtpServer(parts, { auth, memory, delivery, metrics }),
    async close() {
      try {
        for (const each of [delivery, mautics, inbox, ...pruners, deleted]) await each.stop()
        for (const each of [modules.limiter, gateway]) await each.close()
      } finally {
        await storage.close()
      }
    },
  }
}

function openPruners(parts: ModuleParts) {
  const { storage, clock, log, config } = parts
  return [
    createVersionPruner({ storage, log, keep: config.templateVersionsKeep }),
    createSessionPruner({ storage, clock, log }),
  ]
}

/** A suppression is reported to the Mautics that it concerns. */
function openAppSuppressions(
  parts: ModuleParts,
  reports: () => Pick<Mautics['reports'], 'addSuppressions' | 'takeBack'>,
): Suppressions {
  const { storage, clock, log } = parts
  return openSuppressions({
    storage,
    clock,
    log,
    onAdded: (added) => reports().addSuppressions(added),
    onRemoved: (removed) => reports().takeBack(removed),
  })
}

function openAppContacts(
  { storage, clock }: ModuleParts,
  { auth, deleted }: Pick<App, 'auth' | 'deleted'>,
): Contacts {
  const findOwners: ContactsOptions['findOwners'] = (...asked) => auth.findUsers(...asked)
  return openContacts({ storage, clock, findOwners, deleted })
}

function openAppTemplates(
  { storage, clock }: ModuleParts,
  {
    deleted,
    lint,
    mautics,
    templateSources,
  }: Pick<App, 'deleted' | 'lint' | 'mautics' | 'templateSources'>,
): Templates {
  return openTemplates({
    storage,
    clock,
    lint,
    deleted,
    hasMautic: hasMautic(mautics),
    findIncludingEmails: createFindIncludingEmails(storage, templateSources),
  })
}

function openDeletedRecords({ config, storage, clock, log }: ModuleParts): DeletedRecords {
  return new DeletedRecords({ storage, clock, log, keepMs: config.deletedDays * dayMs })
}

function openAppTransports(
  parts: ModuleParts,
  {
    mautics,
    limiter,
    deleted,
    sendTest,
  }: Pick<App, 'mautics' | 'limiter' | 'deleted' | 'sendTest'>,
): Transports {
  return openTransports({
    ...parts,
    dsnOptions: dsnOptionsOf(parts.config),
    sendTest,
    deleted,
    releaseTransport,
    restoreTransport,
    // They are members of limits again. The limiter reads them again by itself if this fails.
    onRestored: () => limiter.reload().catch(() => undefined),
    hasMautic: hasMautic(mautics),
  })
}

function openSendTest(
  { config, log }: ModuleParts,
  { mailer, publicMailer }: Pick<App, 'mailer' | 'publicMailer'>,
): SendTest {
  return createSendTest({ mailer, publicMailer, mailerFrom: config.mailerFrom, log })
}

function hasMautic(mautics: Pick<Mautics, 'findById'>) {
  return async (id: number) => (await mautics.findById(id)) !== undefined
}

function openAppLimits(parts: ModuleParts): Pick<App, 'limits' | 'limiter'> {
  const limits = openLimits({
    ...parts,
    findTransports: findTransportIds,
    // It reads them again by itself if this fails.
    onChanged: () => limiter.reload().catch(() => undefined),
  })
  const limiter = new Limiter({ ...parts, listApplied: () => limits.listApplied() })
  return { limits, limiter }
}

function openAppDelivery(
  parts: ModuleParts,
  modules: Pick<App, 'auth' | 'emails' | 'contacts' | 'transports' | 'templates' | 'assignments'> &
    Pick<
      App,
      | 'mautics'
      | 'suppressions'
      | 'limiter'
      | 'twig'
      | 'templateSources'
      | 'lint'
      | 'mailer'
      | 'publicMailer'
      | 'metrics'
      | 'work'
    >,
): App['delivery'] {
  const { config } = parts
  return openDelivery({
    ...parts,
    ...modules,
    onAttempt: modules.metrics.observeAttempt,
    onUnattempted: modules.metrics.observeUnattempted,
    onNotificationLimited: modules.metrics.observeNotificationLimited,
    defaultDsn: config.mailerDsn,
    defaultFrom: config.mailerFrom,
    keepDeliveriesMs: config.deliveriesKeepDays * dayMs,
    holdUncertainMs: config.uncertainHoldHours * hourMs,
    rememberRefusalsMs: config.smtpRefusalMemoryMinutes * minuteMs,
    suppressBounces: config.suppressBounces,
    messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
    smtpWaitMs: config.smtpWaitSeconds * secondMs,
    queue: {
      bytesMax: config.queueMegabytesMax * megabyte,
      lifetimesMs: {
        transactional: config.queueHours * hourMs,
        bulk: config.queueBulkHours * hourMs,
      },
      retriesUncertain: config.uncertain === 'retry',
    },
    links: openAppLinks(parts),
    publicUrl: config.publicUrl,
  })
}

function openAppLinks({ config, linkKey: key }: ModuleParts): Links | undefined {
  const { publicUrl } = config
  return publicUrl === undefined ? undefined : openLinks({ publicUrl, key })
}

function openAppEmails(
  parts: ModuleParts,
  {
    twig,
    templateSources,
    work,
    deleted,
  }: Pick<App, 'twig' | 'templateSources' | 'work' | 'deleted'>,
): Emails {
  return openEmails({
    ...parts,
    work,
    deleted,
    releaseEmail,
    restoreEmail,
    lintText: createLintText(twig),
    findWarnings: (email) => warnOfEmail(email, parts.config.publicUrl !== undefined),
    usesTemplates: (email) => emailReferences(email, templateSources).length > 0,
  })
}

function openAppAuth(parts: ModuleParts, findLogin: AuthOptions['findLogin']) {
  const { config } = parts
  return openAuth({
    ...parts,
    isApiEnabled: config.isApiEnabled,
    isBasicEnabled: config.isBasicAuthEnabled,
    lifetimes: {
      accessSeconds: config.accessTokenLifetimeMinutes * 60,
      refreshSeconds: config.refreshTokenLifetimeDays * 86_400,
    },
    describeRemoval: describeUserRemoval,
    findLogin,
  })
}

async function openAppSmtpServer(
  { config, rereadConfig, ...parts }: ModuleParts,
  { auth, memory, delivery, metrics }: Pick<App, 'auth' | 'memory' | 'delivery' | 'metrics'>,
): Promise<SmtpServer> {
  const server = await openRelay({
    ...parts,
    delivery,
    logins: auth.logins,
    host: config.smtpHost,
    port: config.smtpPort,
    securePort: config.smtpsPort,
    certificate: certificateOf(config),
    rereadCertificate: () => certificateOf(rereadConfig()),
    trustedNetworks: config.smtpTrustedNetworks,
    messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
    memory,
    connectionsMax: config.smtpConnectionsMax,
    connectionsPerAddressMax: config.smtpConnectionsPerAddressMax,
    unauthenticatedMax: config.smtpUnauthenticatedMax,
    loginMs: config.smtpLoginSeconds * secondMs,
    mode: config.smtpMode,
  })
  metrics.watchSmtpServer(server)
  return server
}

function certificateOf({ smtpTlsCertificate: certificate, smtpTlsKey: key }: Config) {
  return { certificate, key }
}

function openAppInbox(parts: ModuleParts, work: WorkQueue): Inbox {
  const { storage, keyring, clock, log } = parts
  const { inboxMegabytesMax, inboxKeepDays } = parts.config
  return new Inbox({
    storage,
    keyring,
    clock,
    log,
    work,
    bytesMax: inboxMegabytesMax * megabyte,
    keepMs: inboxKeepDays * dayMs,
  })
}

/** Opens the mailer, and the one for DSNs that callers of a Mautic wrote: to public addresses and those on the allow-list. */
function openMailers(
  config: Config,
  inbox: Inbox,
  refreshTokens: RefreshTokens,
): Pick<App, 'mailer' | 'publicMailer'> {
  const { sourceAddresses, sendmailCommand } = config
  const command = sendmailCommand === undefined ? {} : { command: sendmailCommand }
  const policy = outboundRules(config)
  const capture: Capture = (message, through) => inbox.capture(message, through)
  const shared = { connectionsMax: 20, capture, refreshTokens }
  return {
    mailer: createMailer({ policy, sourceAddresses, ...shared, ...command }),
    publicMailer: createMailer({ policy: { ...policy, mode: 'public' }, ...shared }),
  }
}

/** Returns which DSNs the configuration allows. */
export function dsnOptionsOf({
  sendmailCommand,
  sourceAddresses,
}: Pick<Partial<Config>, 'sendmailCommand' | 'sourceAddresses'>): ParseDsnOptions {
  return { hasCommand: sendmailCommand !== undefined, hasInbox: true, sourceAddresses }
}
