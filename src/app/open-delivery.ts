import { randomUUID } from 'node:crypto'
import { openAssignmentStore } from '../core/assignments/index.ts'
import type { Contacts } from '../core/contacts/index.ts'
import {
  addDeliveryRoutes,
  addExportRoute,
  addSettleRoutes,
  addStatsRoutes,
  createCountFolding,
  openDeliveries,
} from '../core/deliveries/index.ts'
import {
  BounceRecorder,
  createGroupCommit,
  createMaintenance,
  Deliverer,
  defaultIntervals,
  ensureDeliveryPartitions,
  OutcomeEvents,
  openAcknowledgements,
  openDeliveryLog,
  openLease,
  openMauticReporter,
  Processes,
  RefusalMemory,
  RefusalTagger,
  type ReturnPaths,
  SubmissionDeliverer,
  TransportEvidence,
  TransportPool,
  TransportThrottles,
} from '../core/delivery/index.ts'
import type { Emails } from '../core/emails/index.ts'
import {
  addDependentRoutes,
  addLinkRoutes,
  createFindDependents,
  createMeasureImpact,
  createReadContactData,
  createRenderWebview,
  type EmailReferences,
  type EmailRendererOptions,
  openLinks,
  openReadContact,
} from '../core/emails/index.ts'
import type { Limiter } from '../core/limits/index.ts'
import type { Mautics } from '../core/mautic/index.ts'
import {
  addQueueRoutes,
  addSendRoute,
  countQueue,
  createSendToContact,
  FirstAttempt,
  findOldestQueued,
  Queue,
  SubmissionAcceptor,
} from '../core/queue/index.ts'
import { createIdentifyMessage, createResolveRoute } from '../core/routing/index.ts'
import type { Suppressions } from '../core/suppressions/index.ts'
import type { LintTemplate, StoredTemplates, Templates } from '../core/templates/index.ts'
import type { Transports } from '../core/transports/index.ts'
import { systemClock } from '../kit/clock.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import { idleAll } from '../kit/worker.ts'
import { accountsOf, type Mailer } from '../libraries/mailer/index.ts'
import { createTwig, type Twig } from '../libraries/twig/index.ts'
import {
  EventApplier,
  EventEffects,
  findBraking,
  TransportAccounts,
  type TransportWebhookCounts,
} from '../modules/events/index.ts'
import type { Metrics } from '../modules/health/index.ts'
import {
  addDrillRoute,
  addEmailPreviewRoutes,
  addResolveRoute,
  addTemplateTestRoute,
  createPreviewEmail,
  createSendTest,
} from '../modules/preview/index.ts'
import type { Senders } from '../modules/senders/index.ts'
import type { EventPublisher } from '../modules/webhooks/index.ts'
import type { Callers, HttpApp } from '../platform/http/index.ts'
import type { Keyring, Storage } from '../platform/storage/index.ts'
import type { AppOptions } from './app-options.ts'

/** Refusals are looked for after this many `idleMs`. */
const refusalFactor = 10
const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const megabyte = 1_048_576

/** The modules that the delivery uses. */
interface DeliveryParts {
  storage: Storage
  keyring: Keyring
  work: WorkQueue
  suppressions: Suppressions
  emails: Emails
  contacts: Contacts
  transports: Transports
  transportWebhookCounts: TransportWebhookCounts
  mautics: Mautics
  limiter: Limiter
  events: EventPublisher
  templates: Templates
  templateSources: StoredTemplates
  references: EmailReferences
  twig: Twig
  lint: LintTemplate
  senders: Senders
  metrics: Metrics
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  /** Signs the links in messages. */
  linkKey: Uint8Array
  /** Undefined without a bounce address. */
  returnPaths: ReturnPaths | undefined
}

/** Opens what chooses the route of each message, renders and sends it, and records its outcome. */
export function openDelivery(
  { config, clock, log, intervals = defaultIntervals }: AppOptions,
  parts: DeliveryParts,
) {
  const { storage, limiter, suppressions, mautics, events, transports, emails, metrics } = parts
  const { returnPaths } = parts
  const { mailerDsn: defaultDsn, mailerFrom: defaultFrom, publicUrl, suppressBounces } = config
  const rememberRefusalsMs = config.smtpRefusalMemoryMinutes * minuteMs
  const keepDeliveriesMs = config.deliveriesKeepDays * dayMs
  const links = publicUrl === undefined ? undefined : openLinks({ publicUrl, key: parts.linkKey })
  const processId = randomUUID()
  const group = createGroupCommit(storage)
  // Others expire this process by the time of the database, which no test moves.
  const lease = openLease({ storage, intervals, clock: systemClock })
  const transportPool = new TransportPool({
    mailer: parts.mailer,
    publicMailer: parts.publicMailer,
    transports,
    defaultDsn,
    openRates: limiter.openRates,
    openConnections: limiter.openConnections,
    log,
    onAttempt: metrics.observeAttempt,
  })
  const throttles = new TransportThrottles({ clock, log, random: Math.random })
  const hasDefault = defaultDsn !== undefined
  const resolveRoute = createResolveRoute({ storage, mautics, hasDefault })
  const rendering: EmailRendererOptions = {
    engines: {
      html: parts.twig,
      text: createTwig({ autoescape: false, now: () => new Date(clock.now()) }),
    },
    sources: parts.templateSources,
    readContact: openReadContact(storage),
    defaultFrom,
    links,
    work: parts.work,
  }
  const outcomeEvents = new OutcomeEvents(events)
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
    suppressBounces,
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
    repeatMs: rememberRefusalsMs,
    onUnattempted: metrics.observeUnattempted,
    returnPathOf: returnPaths && ((delivery) => returnPaths.of(delivery)),
    noteSender: (sender) => parts.senders.uses.note(sender),
  })
  const submissionDeliverer = new SubmissionDeliverer({
    storage,
    log,
    resolveRoute,
    deliverer,
    deliveryLog,
    refusals: new RefusalMemory(clock, rememberRefusalsMs),
    identify: createIdentifyMessage({ mautics, assignments: openAssignmentStore(storage) }),
    findListRule: (mautic, message) => mautics.findListRule(mautic, message),
    rendering,
    messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
  })
  const queue = new Queue({
    storage,
    keyring: parts.keyring,
    clock,
    log,
    processId,
    group,
    intervals,
    throttles,
    transports,
    submissionDeliverer,
    settings: {
      bytesMax: config.queueMegabytesMax * megabyte,
      lifetimesMs: {
        transactional: config.queueHours * hourMs,
        bulk: config.queueBulkHours * hourMs,
      },
      retriesUncertain: config.uncertain === 'retry',
    },
    keepDeliveriesMs,
    defaultDsn,
    defaultFrom,
    events,
    outcomeEvents,
    onUnattempted: metrics.observeUnattempted,
    onNotificationLimited: metrics.observeNotificationLimited,
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
      transports,
      accountsOf,
      defaultDsn,
      log,
    }),
    effects: new EventEffects({
      suppressions,
      mautics,
      suppressBounces,
      publisher: events,
    }),
    deliveries,
    onApplied(stored) {
      metrics.observeEvents(stored)
      queue.brakes.noteEvents(findBraking(stored))
    },
    onUnknown({ transportId, provider, count }) {
      if (transportId === null) return
      parts.transportWebhookCounts.add({ transportId, provider }, { unknown: count })
    },
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
  const acknowledgements = openAcknowledgements(storage, { clock, log })
  const upkeep = [
    createMaintenance({
      storage,
      clock,
      log,
      throttles,
      transportPool,
      keepMs: keepDeliveriesMs,
      holdMs: config.uncertainHoldHours * hourMs,
    }),
    createCountFolding(storage, log),
  ]
  const refusalTagger = new RefusalTagger({
    storage,
    mautics,
    clock,
    log,
    idleMs: intervals.idleMs * refusalFactor,
  })
  const firstAttempt = new FirstAttempt({
    submissionDeliverer,
    queue,
    clock,
    waitMs: config.smtpWaitSeconds * secondMs,
  })
  const acceptor = new SubmissionAcceptor({
    firstAttempt,
    queue,
    log,
    markAcknowledged: (messageKeys) => acknowledgements.markAcknowledged(messageKeys),
  })
  return {
    acceptor,
    deliveries,
    /** The transports that this process has used. */
    listTransports: () => throttles.list(),
    resolveRoute,
    countQueue: () => countQueue(storage, clock.now()),
    findOldestQueued: () => findOldestQueued(storage),
    queue: queue.admin,
    noteChanged: (mauticId: number) => queue.noteChanged(mauticId),
    addRoutes(app: HttpApp, callers: Callers) {
      const { contacts, lint, templates, work } = parts
      const findDependents = createFindDependents(storage, parts.references)
      const measureImpact = createMeasureImpact({ findDependents, templates, emails, rendering })
      const readContactData = createReadContactData(contacts, rendering.readContact)
      const previewEmail = createPreviewEmail({
        emails,
        resolveRoute,
        rendering,
        sources: parts.templateSources,
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
        resolveRoute,
        transports,
        mautics,
        callers,
        findMoved: (question) => parts.senders.findMoved(question),
      })
      addSendRoute(app, { sendToContact, callers })
      addDeliveryRoutes(app, deliveries, callers)
      addSettleRoutes(app, deliveries, callers)
      addQueueRoutes(app, { queue: queue.admin, callers })
      addExportRoute(app, deliveries, callers)
      addLinkRoutes(app, { links, suppressions, renderWebview, log })
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
      refusalTagger.loop.start()
      eventApplier.start()
    },
    /** Resolves when nothing is due or in flight any more: whether something was. */
    idle: () =>
      idleAll([acknowledgements, eventApplier, queue, deliveryLog, refusalTagger.loop, ...upkeep]),
    /** Stops sending what is due and waits for deliveries in flight; cancels those after `timeMs`. */
    async drain(timeMs: number) {
      await eventApplier.stop()
      await Promise.all([queue.stop(), deliverer.drain(timeMs)])
    },
    /** Cancels everything in flight and closes the transports. */
    async stop() {
      await eventApplier.stop()
      await refusalTagger.loop.stop()
      await deliverer.cancel()
      await queue.stop()
      await acknowledgements.close()
      for (const each of upkeep) await each.stop()
      await transportPool.close()
      await processes.stop()
    },
  }
}
