import { randomUUID } from 'node:crypto'
import { openAssignmentStore } from '../assignments/index.ts'
import type { Contacts } from '../contacts/index.ts'
import type { AttemptSender, OnUnattempted } from '../delivery/index.ts'
import {
  addDeliveryRoutes,
  addExportRoute,
  addSettleRoutes,
  addStatsRoutes,
  createCountFolding,
  createDeliverSubmission,
  createGroupCommit,
  createMaintenance,
  createRefusalMemory,
  Deliverer,
  type Deliveries,
  type DeliveryIntervals,
  defaultIntervals,
  ensureDeliveryPartitions,
  type FinishedAttempt,
  OutcomeEvents,
  openAcknowledgements,
  openDeliveries,
  openDeliveryLog,
  openLease,
  openTransportPool,
  Processes,
  type TransportState,
  TransportThrottles,
} from '../delivery/index.ts'
import type { Emails } from '../emails/index.ts'
import {
  addRefusalRoute,
  BounceRecorder,
  EventApplier,
  type EventApplierOptions,
  EventEffects,
  type EventEffectsOptions,
  findBraking,
  openMauticReporter,
  Refusals,
  RefusalTagger,
  type ReportingMautics,
  TransportAccounts,
  TransportEvidence,
  type UnknownEvents,
} from '../feedback/index.ts'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import type { Limiter } from '../limits/index.ts'
import { accountsOf, type Mailer } from '../mailer/index.ts'
import type { MauticDirectory } from '../mautic/index.ts'
import type { EmailReferences, Links } from '../messages/index.ts'
import {
  addDependentRoutes,
  addLinkRoutes,
  createFindDependents,
  createIdentifyMessage,
  createMeasureImpact,
  createReadContactData,
  createRenderWebview,
  type EmailRendererOptions,
  openReadContact,
} from '../messages/index.ts'
import {
  addDrillRoute,
  addEmailPreviewRoutes,
  addResolveRoute,
  addTemplateTestRoute,
  createPreviewEmail,
  createSendTest,
  type FindMoved,
} from '../preview/index.ts'
import type { QueueAdmin } from '../queue/index.ts'
import {
  addQueueRoutes,
  addSendRoute,
  countQueue,
  createSendToContact,
  FirstAttempt,
  findOldestQueued,
  Queue,
  type QueueCount,
  type QueueSettings,
  Submissions,
} from '../queue/index.ts'
import { createResolveRoute, type ResolveRoute } from '../routing/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { Suppressions } from '../suppressions/index.ts'
import type { LintTemplate, StoredTemplates, Templates } from '../templates/index.ts'
import type { Transports } from '../transports/index.ts'
import { createTwig, type Twig } from '../twig/index.ts'
import type { EventSink } from '../webhooks/index.ts'

/** Refusals are looked for after this many `idleMs`. */
const refusalFactor = 10

export interface DeliveryOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Where expensive synchronous work takes turns. */
  work: WorkQueue
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  emails: Emails
  contacts: Contacts
  transports: Transports
  mautics: MauticDirectory & ReportingMautics & EventEffectsOptions['mautics']
  limiter: Limiter
  /** Queues what webhooks ask for. */
  events: EventSink
  templates: Templates
  templateSources: StoredTemplates
  references: EmailReferences
  twig: Twig
  lint: LintTemplate
  /** See `Senders.findMoved`. */
  findMovedSenders: FindMoved
  /** The operator's default transport. */
  defaultDsn: string | undefined
  /** The sender of emails without one. */
  defaultFrom: string
  keepDeliveriesMs: number
  holdUncertainMs: number
  /** How long a permanent refusal is answered from memory; see `RefusalMemory`. */
  rememberRefusalsMs: number
  /** Called after each attempt, for the metrics. */
  onAttempt?: ((attempt: FinishedAttempt) => void) | undefined
  onUnattempted?: OnUnattempted
  /** Called after each attempt, with its domains. */
  noteSender?: ((sender: AttemptSender) => void) | undefined
  /** Called with new events of providers, for the metrics. */
  onEventsApplied?: EventApplierOptions['onApplied']
  /** Called with events of providers whose message was not found. */
  onUnknownEvents?: ((events: UnknownEvents) => void) | undefined
  /** Called when a notification is dropped because its sender had too many within an hour. */
  onNotificationLimited?: (() => void) | undefined
  suppressions: Pick<
    Suppressions,
    'findSuppressions' | 'add' | 'noteCommitted' | 'lift' | 'reasonFor'
  >
  /** Whether an address that a server does not know is suppressed. */
  suppressBounces: boolean
  keyring: Pick<Keyring, 'sealBytes' | 'openBytes'>
  /** The size limit of a message in bytes, before and after rendering. */
  messageBytesMax: number
  /** How long a client waits for the server: over SMTP in the mode `hybrid`, and for a single send of the API. */
  smtpWaitMs: number
  queue: QueueSettings
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  /** Default: `defaultIntervals`. */
  intervals?: DeliveryIntervals | undefined
}

/** Chooses the route of each message, renders and sends it, and records its outcome. */
export interface Delivery {
  /** Delivers or stores a message that was submitted over SMTP. */
  submissions: Pick<Submissions, 'submit'>
  deliveries: Deliveries
  /** The transports that this process has used. */
  listTransports(): TransportState[]
  resolveRoute: ResolveRoute
  refusals: Pick<Refusals, 'list'>
  /** Counts the recipients in the queue. */
  countQueue(): Promise<QueueCount[]>
  /** Returns when the oldest recipient that waits to be sent was added; undefined if there is none. */
  findOldestQueued(): Promise<number | undefined>
  queue: QueueAdmin
  addRoutes(app: HttpApp, callers: Callers): void
  /** The processes that send on this database, by their heartbeats. */
  processes: Pick<Processes, 'list' | 'start' | 'expireSilent'>
  /** Starts to send what is due. */
  start(): Promise<void>
  /** Stops sending what is due and waits for deliveries in flight; cancels those after `timeMs`. */
  drain(timeMs: number): Promise<void>
  /** Cancels everything in flight and closes the transports. */
  stop(): Promise<void>
}

export function openDelivery(options: DeliveryOptions): Delivery {
  const { storage, clock, log, limiter, suppressions, mautics } = options
  const { intervals = defaultIntervals } = options
  const processId = randomUUID()
  const group = createGroupCommit(storage)
  const lease = openLease({ storage, intervals })
  const transportPool = openTransportPool({
    mailer: options.mailer,
    publicMailer: options.publicMailer,
    transports: options.transports,
    defaultDsn: options.defaultDsn,
    openRates: limiter.openRates,
    openConnections: limiter.openConnections,
    log,
    onAttempt: options.onAttempt,
  })
  const throttles = new TransportThrottles({ clock, log, random: Math.random })
  const hasDefault = options.defaultDsn !== undefined
  const resolveRoute = createResolveRoute({ storage, mautics, hasDefault })
  const rendering: EmailRendererOptions = {
    engines: { html: options.twig, text: createTwig({ autoescape: false }) },
    sources: options.templateSources,
    readContact: openReadContact(storage),
    defaultFrom: options.defaultFrom,
    links: options.links,
    work: options.work,
  }
  const outcomeEvents = new OutcomeEvents(options.events)
  const deliveryLog = openDeliveryLog({
    storage,
    clock,
    log,
    processId,
    lease,
    group,
    outcomeEvents,
  })
  const mauticReporter = openMauticReporter({ mautics, log })
  const bounces = new BounceRecorder({
    evidence: new TransportEvidence(storage),
    suppressions,
    deliveryLog,
    mauticReporter,
    suppressBounces: options.suppressBounces,
    log,
  })
  const deliverer = new Deliverer({
    transportPool,
    limiter,
    throttles,
    deliveryLog,
    findSuppressions: suppressions.findSuppressions,
    bounces,
    mauticReporter,
    clock,
    log,
    repeatMs: options.rememberRefusalsMs,
    onUnattempted: options.onUnattempted,
    noteSender: options.noteSender,
  })
  const deliverSubmission = createDeliverSubmission({
    storage,
    log,
    resolveRoute,
    deliverer,
    deliveryLog,
    refusals: createRefusalMemory(clock, options.rememberRefusalsMs),
    identify: createIdentifyMessage({ mautics, assignments: openAssignmentStore(storage) }),
    rendering,
    messageBytesMax: options.messageBytesMax,
  })
  const queue = new Queue({
    storage,
    keyring: options.keyring,
    clock,
    log,
    processId,
    group,
    intervals,
    throttles,
    transports: options.transports,
    deliverSubmission,
    settings: options.queue,
    keepDeliveriesMs: options.keepDeliveriesMs,
    defaultDsn: options.defaultDsn,
    defaultFrom: options.defaultFrom,
    events: options.events,
    outcomeEvents,
    onUnattempted: options.onUnattempted,
    onNotificationLimited: options.onNotificationLimited,
  })
  const deliveries = openDeliveries(storage, {
    async onSettled(tx, delivery, outcome) {
      await queue.settleUncertain(tx, { keys: delivery.keys, outcome })
      await outcomeEvents.publish(tx, [delivery])
    },
    onCommitted() {
      outcomeEvents.notify(['accepted', 'deferred'])
      queue.wake()
    },
  })
  const eventApplier = new EventApplier({
    storage,
    clock,
    log,
    idleMs: intervals.idleMs,
    accounts: new TransportAccounts({
      transports: options.transports,
      accountsOf,
      defaultDsn: options.defaultDsn,
      log,
    }),
    effects: new EventEffects({
      suppressions,
      mautics,
      suppressBounces: options.suppressBounces,
      publisher: options.events,
    }),
    deliveries,
    onApplied(stored) {
      options.onEventsApplied?.(stored)
      queue.brakes.noteEvents(findBraking(stored))
    },
    onUnknown: options.onUnknownEvents,
  })
  const processes = new Processes({
    outcomeEvents,
    storage,
    log,
    processId,
    intervals,
    lease,
    onExpired: (tx, processIds) => queue.recover(tx, processIds),
    onRecovered: () => queue.wake(),
  })
  const refusals = new Refusals(storage)
  const acknowledgements = openAcknowledgements(storage, { clock, log })
  const upkeep = [
    createMaintenance({
      storage,
      clock,
      log,
      keepMs: options.keepDeliveriesMs,
      holdMs: options.holdUncertainMs,
    }),
    createCountFolding(storage, log),
  ]
  const refusalTagger = new RefusalTagger({
    storage,
    refusals,
    mautics,
    clock,
    log,
    idleMs: intervals.idleMs * refusalFactor,
  })
  const firstAttempt = new FirstAttempt({
    deliverSubmission,
    queue,
    clock,
    waitMs: options.smtpWaitMs,
  })
  const submissions = new Submissions({
    firstAttempt,
    queue,
    log,
    markAcknowledged: (messageKeys) => acknowledgements.markAcknowledged(messageKeys),
  })
  return {
    submissions,
    deliveries,
    listTransports: () => throttles.list(),
    resolveRoute,
    refusals,
    countQueue: () => countQueue(storage, clock.now()),
    findOldestQueued: () => findOldestQueued(storage),
    queue: queue.admin,
    addRoutes(app, callers) {
      const { contacts, emails, lint, templates, transports, work } = options
      const findDependents = createFindDependents(storage, options.references)
      const measureImpact = createMeasureImpact({ findDependents, templates, emails, rendering })
      const readContactData = createReadContactData(contacts, rendering.readContact)
      const previewEmail = createPreviewEmail({
        emails,
        resolveRoute,
        rendering,
        sources: options.templateSources,
      })
      const renderWebview = createRenderWebview({ emails, contacts, rendering, log })
      const sendTest = createSendTest({ deliverer, clock, log })
      const sendToContact = createSendToContact({
        storage,
        firstAttempt,
        log,
        emails,
        contacts,
        deliveryLog,
        rendering,
        clock,
      })
      addResolveRoute(app, { resolveRoute, mautics, emails, contacts, rendering, callers })
      addDrillRoute(app, {
        storage,
        clock,
        hasDefault,
        transports,
        mautics,
        callers,
        findMoved: options.findMovedSenders,
      })
      addSendRoute(app, { sendToContact, callers })
      addDeliveryRoutes(app, deliveries, callers)
      addRefusalRoute(app, { refusals, mautics, callers })
      addSettleRoutes(app, deliveries, callers)
      addQueueRoutes(app, { queue: queue.admin, callers })
      addExportRoute(app, deliveries, callers)
      addLinkRoutes(app, { links: options.links, suppressions, renderWebview, log })
      addStatsRoutes(app, { storage, callers, clock })
      addEmailPreviewRoutes(app, {
        emails,
        readContactData,
        previewEmail,
        sendTest,
        callers,
        work,
      })
      addTemplateTestRoute(app, {
        templates,
        transports,
        readContactData,
        resolveRoute,
        rendering,
        sendTest,
        callers,
      })
      addDependentRoutes(app, {
        templates,
        lint,
        findDependents,
        measureImpact,
        readContactData,
        callers,
      })
    },
    processes,
    async start() {
      await processes.start()
      await ensureDeliveryPartitions(storage, clock.now())
      for (const each of upkeep) each.start()
      await queue.start()
      refusalTagger.start()
      eventApplier.start()
    },
    async drain(timeMs) {
      await eventApplier.stop()
      await Promise.all([queue.stop(), deliverer.drain(timeMs)])
    },
    async stop() {
      await eventApplier.stop()
      await refusalTagger.stop()
      await deliverer.cancel()
      await queue.stop()
      await acknowledgements.close()
      for (const each of upkeep) await each.stop()
      await transportPool.close()
      await processes.stop()
    },
  }
}
