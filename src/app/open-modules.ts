import { Assignments, removeMauticAssignments, restoreEmail } from '../core/assignments/index.ts'
import { type ContactsOptions, openContacts } from '../core/contacts/index.ts'
import { defaultIntervals, ReturnPaths } from '../core/delivery/index.ts'
import {
  createFindIncludingEmails,
  EmailReferences,
  emailReferences,
  openEmails,
  warnOfEmail,
} from '../core/emails/index.ts'
import { Limiter, openLimits } from '../core/limits/index.ts'
import { Mautics, type UnassignedRoute } from '../core/mautic/index.ts'
import { createLintText } from '../core/mime/index.ts'
import { findLastMessages } from '../core/queue/index.ts'
import { openSuppressions } from '../core/suppressions/index.ts'
import {
  createLintTemplate,
  createVersionPruner,
  openTemplates,
  StoredTemplates,
} from '../core/templates/index.ts'
import {
  createSendTest,
  findLastTest,
  findTransportNames,
  findTransportOwners,
  openTransports,
  RefreshTokens,
} from '../core/transports/index.ts'
import { Gateway } from '../edges/gateway/index.ts'
import { BounceMail, openRelay, type SmtpServer } from '../edges/relay/index.ts'
import { ByteBudget } from '../kit/byte-budget.ts'
import { type CallerMautic, callerKey } from '../kit/caller.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { idleAll } from '../kit/worker.ts'
import { Dns } from '../libraries/dns/index.ts'
import { type Capture, createMailer, type ParseDsnOptions } from '../libraries/mailer/index.ts'
import { createTwig } from '../libraries/twig/index.ts'
import {
  createWebhookPruner,
  ReceivedEvents,
  ReportReceiver,
  TransportWebhookCounts,
  TransportWebhookStore,
} from '../modules/events/index.ts'
import { ConditionWatcher, Metrics } from '../modules/health/index.ts'
import { Inbox } from '../modules/inbox/index.ts'
import { Dkim, removeTransportChecks, Senders } from '../modules/senders/index.ts'
import { EventPublisher, Webhooks } from '../modules/webhooks/index.ts'
import { createSessionPruner, openAuth } from '../platform/auth/index.ts'
import {
  type Config,
  memoryMegabytes,
  publicUrl,
  type SmtpAddress,
  smtpAddress,
} from '../platform/config/index.ts'
import { OutboundFetch, outboundRules } from '../platform/http/index.ts'
import { DeletedRecords } from '../platform/resource/index.ts'
import { type Keyring, limitsChannel, type Storage } from '../platform/storage/index.ts'
import type { AppOptions } from './app-options.ts'
import { openDelivery } from './open-delivery.ts'
import {
  describeUserRemoval,
  releaseEmail,
  releaseTransport,
  restoreTransport,
} from './release-uses.ts'

const dayMs = 86_400_000
/** Conditions are looked for after this many `idleMs`. */
const conditionFactor = 5
const secondMs = 1_000
const megabyte = 1_048_576
/** The most simultaneous connections of one transport. */
const connectionsMax = 20
/** How long the receiver of a webhook may take to answer. */
const webhookAnswerMs = 15_000

/** The open modules, and what starts and stops them. */
export type App = ReturnType<typeof openModules>

interface SigningKeys {
  links: Uint8Array
  returnPaths: Uint8Array
}

/**
 * Opens the modules, from the lowest layer to the highest. What calls a module that is opened later does so in a function, once
 * all are open: the log-ins, suppressions and records of Mautics, and the limiter.
 */
export function openModules(
  options: AppOptions,
  {
    storage,
    keyring,
    signingKeys,
  }: { storage: Storage; keyring: Keyring; signingKeys: SigningKeys },
) {
  const { config, clock, log } = options
  const url = publicUrl(config)
  const rules = outboundRules(config)
  const work = new WorkQueue()
  const memory = new ByteBudget(memoryMegabytes(config) * megabyte)
  const deleted = new DeletedRecords({ storage, clock, log, keepMs: config.deletedDays * dayMs })
  let smtpServer: SmtpServer | undefined
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
    passwordCost: options.passwordCost,
    describeRemoval: describeUserRemoval,
    findLogin: (login) => mautics.findLogin(login),
    smtpAddress: () => smtpAddress(config, smtpServer),
  })
  const events = new EventPublisher({ storage, clock, log })
  // A suppression is reported to the Mautics that it concerns.
  const suppressions = openSuppressions({
    storage,
    clock,
    log,
    async onAdded(added, tx) {
      // They are committed, unless there is a transaction.
      if (tx === undefined && events.wants('suppression.created')) events.notify()
      await mautics.reports.addSuppressions(added, tx)
    },
    async onCreated(created, tx) {
      if (!events.wants('suppression.created')) return
      await events.publish(
        tx,
        created.map(({ address, reason, senderDomain, source }) => ({
          type: 'suppression.created' as const,
          data: { address, reason, senderDomain: senderDomain || null, source },
          cause: reason,
        })),
      )
    },
    onCommitted: () => {
      mautics.reports.notify()
      events.notify()
    },
    onRemoved: (removed) => mautics.reports.takeBack(removed),
    findNotified: (reported) => mautics.reports.findNotified(reported),
  })
  const mautics: Mautics = new Mautics({
    storage,
    clock,
    keyring,
    log,
    suppressions,
    publicUrl: url,
    reportIdleMs: options.intervals?.idleMs,
    onReinstalled: (id) => removeMauticAssignments(storage, id),
    // Both read them again if this fails.
    onChanged: async () => {
      await Promise.allSettled([gateway.reload(), dkim.keys.reload()])
    },
    onAnswering: (id) => delivery.noteChanged(id),
    findRoute,
    findTransportOwners,
    findTransportNames: (ids) => findTransportNames(storage, ids),
    findLastMessages: (ids) => findLastMessages(storage, ids),
    findRoles: (ids, tx) => auth.findRoleIds(ids, tx),
    publicHost: new URL(url).hostname,
    rules,
    mailerDsn: (login, password) =>
      mauticDsn(smtpAddress(config, smtpServer), { login, password, url }),
  })
  /** Finds what mail of a Mautic without an assignment is sent through, as a send does. */
  async function findRoute(mautic: CallerMautic): Promise<UnassignedRoute> {
    const { target, trace } = await delivery.resolveRoute({ mautic })
    const reasons = trace.map(({ reason }) => reason)
    switch (target.kind) {
      case 'transport': {
        const { id, name } = target.row
        const isReadable = (await transports.findDsn(target.row)) !== undefined
        const lastTest = (await findLastTest(storage.tables(), id)) ?? null
        return { transport: { id, name, isReadable, lastTest }, reasons }
      }
      case 'default': {
        const transport = { id: null, name: 'default', isReadable: true, lastTest: null }
        return { transport, reasons }
      }
      default:
        return { transport: undefined, reasons }
    }
  }
  const hasMautic = async (id: number) => (await mautics.findById(id)) !== undefined
  const gateway: Gateway = new Gateway({
    clock,
    log,
    answerMs: options.mauticAnswerMs,
    outboundRules: rules,
    listPublished: () => mautics.listPublished(),
    loginLimits: auth.loginLimits,
    findGrants: (roleId) => auth.findGrants(roleId),
  })
  const now = () => new Date(clock.now())
  const twig = createTwig({ now })
  const templateSources = new StoredTemplates(storage, twig, work)
  const emails = openEmails({
    storage,
    clock,
    work,
    deleted,
    releaseEmail,
    restoreEmail,
    lintText: createLintText(twig),
    findWarnings: (email) => warnOfEmail(email, config.publicUrl !== undefined),
    usesTemplates: (email) => emailReferences(email, templateSources).length > 0,
  })
  const findOwners: ContactsOptions['findOwners'] = (ids, tx) => auth.findUsers(ids, tx)
  const contacts = openContacts({ storage, clock, findOwners, deleted })
  const limits = openLimits({
    storage,
    clock,
    findTransports: async (ids, tx) => [...(await findTransportOwners(ids, tx)).keys()],
  })
  const limiter = new Limiter({ storage, clock, log, listApplied: () => limits.listApplied() })
  const inbox = new Inbox({
    storage,
    keyring,
    clock,
    log,
    bytesMax: config.inboxMegabytesMax * megabyte,
    keepMs: config.inboxKeepDays * dayMs,
  })
  const refreshTokens = new RefreshTokens({ storage, keyring, clock, log })
  const dns = new Dns({ servers: config.dnsServers })
  const dkim: Dkim = new Dkim({
    storage,
    keyring,
    dns,
    clock,
    log,
    hasMautic,
    async onMissing(tx, { id, domain, selector, problem }) {
      if (!events.wants('dkim.missing')) return
      const message = `Receivers cannot verify the DKIM signatures of ${domain} any more. ${problem}`
      const data = { dkimKeyId: id, domain, selector, problem, message }
      await events.publish(tx, [{ type: 'dkim.missing', data, cause: domain }])
    },
    onMissingCommitted: () => events.notify(),
    onKeysChanged: (domains) => senders.checker.forget(domains),
    onUnsigned: ({ cause }) => metrics.observeUnsigned(cause),
  })
  const capture: Capture = (message, through) => inbox.capture(message, through)
  const mailer = createMailer({
    clock,
    policy: rules,
    sourceAddresses: config.sourceAddresses,
    connectionsMax,
    capture,
    refreshTokens,
    dkim: dkim.keys,
    command: config.sendmailCommand,
  })
  // For DSNs that callers of a Mautic wrote: to public addresses and those on the allow-list. Nothing is signed for their servers,
  // which could collect messages that are signed for any domain.
  const publicMailer = createMailer({
    clock,
    policy: { ...rules, mode: 'public' },
    connectionsMax,
    capture,
    refreshTokens,
  })
  const sendTest = createSendTest({
    mailer,
    publicMailer,
    mailerFrom: config.mailerFrom,
    checkAlignment: (question, caller) => senders.checker.checkTest(question, callerKey(caller)),
    log,
  })
  const transports = openTransports({
    storage,
    keyring,
    clock,
    log,
    dsnOptions: dsnOptionsOf(config),
    sendTest,
    deleted,
    releaseTransport,
    restoreTransport,
    onDsnChanged: removeTransportChecks,
    // They are members of limits again.
    onRestored: async () => storage.notify(limitsChannel),
    hasMautic,
  })
  const lint = createLintTemplate(twig, templateSources, work)
  const references = new EmailReferences(storage, templateSources)
  const templates = openTemplates({
    storage,
    clock,
    lint,
    deleted,
    hasMautic,
    findIncludingEmails: createFindIncludingEmails(storage, references),
  })
  const assignments = new Assignments({ storage, transports, emails, users: auth.users, mautics })
  const metrics = new Metrics({ clock, storage, modules: () => ({ delivery, transports }) })
  const senders: Senders = new Senders({
    storage,
    clock,
    log,
    dns,
    transports,
    defaultDsn: config.mailerDsn,
    defaultFrom: config.mailerFrom,
    findOwnKey: (sender, check) => dkim.findKey(sender, check),
  })
  const transportWebhooks = new TransportWebhookStore({ storage, keyring, clock })
  const transportWebhookCounts = new TransportWebhookCounts({ storage, log })
  const { bounceAddress: address } = config
  const key = signingKeys.returnPaths
  const returnPaths =
    address === undefined ? undefined : new ReturnPaths({ address, key, storage, clock })
  const delivery = openDelivery(options, {
    storage,
    keyring,
    work,
    suppressions,
    emails,
    contacts,
    transports,
    transportWebhookCounts,
    mautics,
    limiter,
    events,
    templates,
    templateSources,
    references,
    twig,
    lint,
    senders,
    metrics,
    mailer,
    publicMailer,
    linkKey: signingKeys.links,
    returnPaths,
  })
  // The status of their receivers counts, whatever page follows it.
  const webhookFetch = new OutboundFetch({ rules, timeoutMs: webhookAnswerMs, isCutAccepted: true })
  const webhooks = new Webhooks({
    storage,
    keyring,
    clock,
    log,
    publisher: events,
    send: webhookFetch.fetch,
    findStamped: auth.findStamped,
    publicUrl: config.publicUrl,
    idleMs: options.intervals?.idleMs,
  })
  const { looking: conditions } = new ConditionWatcher({
    storage,
    clock,
    log,
    events,
    listTransports: () => delivery.listTransports(),
    intervalMs: (options.intervals ?? defaultIntervals).idleMs * conditionFactor,
  })
  const receivedEvents = new ReceivedEvents(storage, clock)
  const reportReceiver = new ReportReceiver({ receivedEvents, clock })
  const pruners = [
    createVersionPruner({ storage, log, keep: config.templateVersionsKeep }),
    createSessionPruner(storage, clock, log),
    refreshTokens.pruning,
    inbox.pruning,
    deleted.pruning,
    createWebhookPruner({ store: transportWebhooks, received: receivedEvents, log }),
    transportWebhookCounts,
  ]
  return {
    storage,
    keyring,
    work,
    memory,
    deleted,
    auth,
    emails,
    contacts,
    suppressions,
    transports,
    refreshTokens,
    dkim,
    transportWebhooks,
    transportWebhookCounts,
    limits,
    limiter,
    templates,
    twig,
    templateSources,
    references,
    lint,
    assignments,
    mautics,
    gateway,
    inbox,
    sendTest,
    delivery,
    senders,
    reportReceiver,
    metrics,
    events,
    webhooks,
    /** Starts the delivery of queued messages, and the background tasks. */
    async start() {
      await webhooks.start()
      await dkim.start()
      for (const each of [...pruners, mautics]) each.start()
      await limiter.reload()
      await senders.start()
      await delivery.start()
      conditions.start()
    },
    /** Opens the SMTP server on the configured ports. The caller closes it before the app. */
    async openSmtpServer() {
      smtpServer = await openRelay({
        clock,
        log,
        delivery,
        logins: auth.logins,
        host: config.smtpHost,
        port: config.smtpPort,
        securePort: config.smtpsPort,
        certificate: certificateOf(config),
        rereadCertificate: () => certificateOf(options.rereadConfig()),
        trustedNetworks: config.smtpTrustedNetworks,
        messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
        memory,
        connectionsMax: config.smtpConnectionsMax,
        connectionsPerAddressMax: config.smtpConnectionsPerAddressMax,
        unauthenticatedMax: config.smtpUnauthenticatedMax,
        loginMs: config.smtpLoginSeconds * secondMs,
        bounceMail: returnPaths && new BounceMail({ returnPaths, receiver: reportReceiver, log }),
        mode: config.smtpMode,
      })
      metrics.watchSmtpServer(smtpServer)
      return smtpServer
    },
    /** Does what is due, and resolves when nothing is any more. */
    async idle() {
      const workers = [dkim.checker.checking, senders, delivery, conditions, mautics, webhooks]
      // What one of them does may be due for another.
      while (await idleAll([...workers, ...pruners]));
    },
    async close() {
      try {
        for (const each of [
          conditions,
          webhooks,
          delivery,
          senders,
          reportReceiver,
          mautics,
          dkim,
          ...pruners,
        ])
          await each.stop()
        for (const each of [limiter, gateway, webhookFetch, dns]) await each.close()
      } finally {
        await storage.close()
      }
    },
  }
}

function certificateOf({ smtpTlsCertificate: certificate, smtpTlsKey: key }: Config) {
  return { certificate, key }
}

/** Returns the DSN with which a Mautic submits its mail. */
function mauticDsn(
  address: SmtpAddress | undefined,
  { login, password, url }: { login: string; password: string; url: string },
): string {
  const host = new URL(url).hostname
  const { scheme, port } = address ?? { scheme: 'smtp', port: 2525 }
  return `${scheme}://${login}:${password}@${host}:${port}`
}

/** Returns which DSNs the configuration allows. */
export function dsnOptionsOf({
  sendmailCommand,
  sourceAddresses,
  bounceAddress,
}: Pick<
  Partial<Config>,
  'sendmailCommand' | 'sourceAddresses' | 'bounceAddress'
>): ParseDsnOptions {
  return {
    hasCommand: sendmailCommand !== undefined,
    hasInbox: true,
    hasReturnPaths: bounceAddress !== undefined,
    sourceAddresses,
  }
}
