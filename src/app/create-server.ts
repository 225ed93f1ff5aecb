import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { addAssignmentRoutes, countUses } from '../core/assignments/index.ts'
import { addContactRoutes } from '../core/contacts/index.ts'
import { EmailActivity } from '../core/deliveries/index.ts'
import {
  createReadContactData,
  emailShape,
  openReadContact,
  previewLinks,
  textOfHtml,
  withSampleLinks,
} from '../core/emails/index.ts'
import { limitShape } from '../core/limits/index.ts'
import { addMauticRoutes } from '../core/mautic/index.ts'
import { addSuppressionRoutes } from '../core/suppressions/index.ts'
import { addTemplateRoutes, createRenderTemplate, Versions } from '../core/templates/index.ts'
import { addTransportRoutes, GoogleSignIn, openLastTests } from '../core/transports/index.ts'
import { openConsole } from '../edges/console/index.ts'
import { readVersion } from '../kit/read-version.ts'
import {
  addReceiveRoute,
  addReportRoute,
  addTransportWebhookRoutes,
  EventReceiver,
  ReceivedEvents,
  TransportWebhooks,
} from '../modules/events/index.ts'
import { addFindingRoute, addMetricsRoute, Health } from '../modules/health/index.ts'
import { addInboxRoutes } from '../modules/inbox/index.ts'
import { createEmailUsage, createTemplateUsage } from '../modules/preview/index.ts'
import { addDkimRoutes, addSenderRoutes } from '../modules/senders/index.ts'
import { addWebhookRoutes } from '../modules/webhooks/index.ts'
import { publicUrl } from '../platform/config/index.ts'
import {
  addHealthRoutes,
  addOpenApi,
  Callers,
  createHttpServer,
  type DeclaredRoute,
  type HttpApp,
  OutboundFetch,
  outboundRules,
} from '../platform/http/index.ts'
import { addResourceRoutes } from '../platform/resource/index.ts'
import { inspectMigrations } from '../platform/storage/index.ts'
import type { AppOptions } from './app-options.ts'
import { migrations } from './migrations.ts'
import { type App, dsnOptionsOf } from './open-modules.ts'

/** Where `npm run build:web` puts the console, for the sources and for the package. */
const consoleFolder = join(import.meta.dirname, '../../web/dist')

const megabyte = 1_048_576

/** The groups of routes in the OpenAPI document, by the parts of the console's menu: the title of each, and what it is. */
const menu: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  Send: {
    multipleTransports: [
      'Transports',
      'Mail transports, their tests, and their assignment to emails and users.',
    ],
    limits: ['Limits', 'Limits of provider accounts, which transports share.'],
    senders: ['Senders', 'From domains, and whether receivers will believe them.'],
    dkimKeys: ['DKIM keys', 'Keys that sign the messages of domains, and their DNS records.'],
  },
  Content: {
    twigTemplates: ['Templates', 'Twig templates, their versions, and rendering.'],
    emails: ['Emails', 'Emails, and sending them to contacts.'],
  },
  People: {
    contacts: ['Contacts', 'The people that emails are sent to.'],
    suppressions: ['Suppressions', 'Addresses that get no emails, and why.'],
  },
  Watch: {
    deliveries: ['Deliveries', 'Every attempt to deliver a message, and its outcome.'],
    queue: ['Queue', 'Messages that are stored and not sent yet, by recipient.'],
    inbox: ['Inbox', 'Messages that `inbox://local` captured: captured, not sent.'],
    health: ['Health', 'Health checks and metrics for monitoring.'],
  },
  'Set up': {
    mautics: ['Mautics', 'Connected Mautics, and what is known of them.'],
    webhooks: ['Webhooks', 'Events that are sent to other systems and to chats.'],
    users: ['Users', 'The people who log in.'],
    roles: ['Roles', 'The permissions of users and clients.'],
    oauthClients: ['Clients', 'Applications that use the API with OAuth 2.0.'],
    oauth: ['OAuth 2.0', 'The token endpoint and the consent page.'],
    session: ['Session', 'Logging in with a cookie, as the console does.'],
  },
}

const tagGroups = Object.entries(menu).map(([name, tags]) => ({ name, tags: Object.keys(tags) }))
const tags = Object.values(menu)
  .flatMap(Object.entries<readonly [string, string]>)
  .map(([name, [title, description]]) => ({ name, 'x-displayName': title, description }))

const noReading = { warnings: [], settings: [] }

/** Creates the HTTP server of an app. It does not listen yet. `onRoute` is called for each route. */
export async function createServer(
  app: App,
  options: AppOptions,
  onRoute?: (route: DeclaredRoute) => void,
): Promise<HttpApp> {
  const { config, clock, command, reading = noReading } = options
  const { storage, keyring, work, auth, emails, contacts, transports, templates, gateway } = app
  const { metrics, twig } = app
  const callers = new Callers()
  const console = openConsole({ folder: consoleFolder })
  const server = createHttpServer({
    sendPage: console.sendPage,
    onRoute,
    callers,
    memory: app.memory,
    log: options.log,
    work,
    createRequestId: createRequestIds(options.createSecret()),
    trustedProxies: config.trustedProxies,
    onAnswered: metrics.observeRequest,
    reroute: gateway.reroute,
    paths: command?.paths,
  })
  // The guard applies to routes that are added later.
  auth.addGuard(
    server,
    callers,
    command === undefined ? gateway.findCaller : async () => command.caller,
  )
  addOpenApi(server, { version: readVersion(), tags, tagGroups })
  if (command === undefined) await console.addRoutes(server)
  const health = new Health({
    config,
    clock,
    storage,
    keyring,
    delivery: app.delivery,
    references: app.references,
    senders: app.senders,
    dkim: app.dkim,
    reading,
    inspectMigrations: () => inspectMigrations(storage, migrations),
  })
  addHealthRoutes(server, () => storage.ping())
  addFindingRoute(server, health)
  addMetricsRoute(server, { metrics, isPublished: config.publicUrl !== undefined })
  await auth.addRoutes(server, callers)
  const activity = new EmailActivity(storage, clock)
  addResourceRoutes(server, emailShape, {
    service: emails,
    callers,
    extras: { usage: createEmailUsage(storage, activity) },
  })
  addContactRoutes(server, { contacts, callers })
  addSuppressionRoutes(server, { suppressions: app.suppressions, callers, clock })
  const outbound = new OutboundFetch({ rules: outboundRules(config) })
  server.addHook('onClose', () => outbound.close())
  const googleSignIn = new GoogleSignIn({
    keyring,
    clock,
    fetch: outbound.fetch,
    createCodeVerifier: () => randomBytes(32).toString('base64url'),
    publicUrl: config.publicUrl,
    endpoints: options.googleEndpoints,
  })
  addTransportRoutes(server, {
    transports,
    sendTest: app.sendTest,
    googleSignIn,
    lastTests: openLastTests({ storage, clock }),
    countUses: (ids, caller) => countUses(storage.tables(), ids, caller),
    callers,
    clock,
    dsnOptions: dsnOptionsOf(config),
    defaultDsn: config.mailerDsn,
  })
  const { transportWebhooks: store, transportWebhookCounts: counts } = app
  const localUrl = publicUrl(config)
  const webhooks = new TransportWebhooks({
    store,
    counts,
    transports,
    publicUrl: config.publicUrl,
    localUrl,
  })
  addTransportWebhookRoutes(server, { webhooks, callers })
  const receiver = new EventReceiver({
    storage,
    store,
    counts,
    received: new ReceivedEvents(storage, clock),
    work,
    clock,
    publicUrl: localUrl,
    fetch: options.providerFetch ?? outbound.fetch,
  })
  addReceiveRoute(server, receiver)
  addSenderRoutes(server, { senders: app.senders, callers })
  addResourceRoutes(server, limitShape, {
    service: app.limits,
    callers,
    extras: { usage: app.limits.usage },
  })
  addDkimRoutes(server, { dkim: app.dkim, callers })
  addMauticRoutes(server, { mautics: app.mautics, callers })
  addWebhookRoutes(server, { webhooks: app.webhooks, callers })
  // Rendered alone, templates have the links of previews.
  const links = config.publicUrl === undefined ? undefined : previewLinks(config.publicUrl)
  addTemplateRoutes(server, {
    templates,
    twig,
    lint: app.lint,
    work,
    callers,
    render: createRenderTemplate(withSampleLinks(twig, links), app.templateSources, work),
    readContactData: createReadContactData(contacts, openReadContact(storage)),
    textOfHtml,
    versions: new Versions(storage, templates),
    usage: createTemplateUsage(storage, activity, app.references),
  })
  addAssignmentRoutes(server, {
    assignments: app.assignments,
    storage,
    mautics: app.mautics,
    callers,
  })
  addInboxRoutes(server, app.inbox)
  app.delivery.addRoutes(server, callers)
  addReportRoute(server, {
    receiver: app.reportReceiver,
    callers,
    messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
  })
  await gateway.addRoutes(server)
  return server
}

/** Returns a function that creates short ids, unique among all processes. */
function createRequestIds(seed: string): () => string {
  const prefix = seed.slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
