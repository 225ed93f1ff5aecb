import { randomUUID } from 'node:crypto'
import type { CallerMautic } from '../../kit/caller.ts'
import { type Clock, systemClock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { idleAll } from '../../kit/worker.ts'
import type { Mailer } from '../../libraries/mailer/index.ts'
import { createTwig, type Twig } from '../../libraries/twig/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import type { Installation } from '../../platform/installation/index.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'
import { openAssignmentStore } from '../assignments/index.ts'
import type { SendingBrands } from '../brands/index.ts'
import type { Contacts } from '../contacts/index.ts'
import {
  addDeliveryRoutes,
  addExportRoute,
  addSettleRoutes,
  addStatsRoutes,
  createCountFolding,
  type Deliveries,
  openDeliveries,
} from '../deliveries/index.ts'
import {
  BounceRecorder,
  createGroupCommit,
  createMaintenance,
  Deliverer,
  type DeliveryIntervals,
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
} from '../delivery/index.ts'
import {
  addLinkRoutes,
  createRenderWebview,
  type EmailRendererOptions,
  type Emails,
  openLinks,
  openReadContact,
} from '../emails/index.ts'
import type { Limiter } from '../limits/index.ts'
import type { Mautics, UnassignedRoute } from '../mautic/index.ts'
import type { EventSink } from '../published/index.ts'
import {
  addQueueRoutes,
  countQueue,
  describeQueued,
  FirstAttempt,
  findBraking,
  findOldestQueued,
  Queue,
  SubmissionAcceptor,
} from '../queue/index.ts'
import { createIdentifyMessage, createResolveRoute, type ResolveRoute } from '../routing/index.ts'
import type { Suppressions } from '../suppressions/index.ts'
import type { StoredTemplates } from '../templates/index.ts'
import { findLastTest, type Transports } from '../transports/index.ts'
import type { SendingHooks } from './hooks.ts'
import { addSendRoute } from './single/routes.ts'
import { ContactSender } from './single/send-to-contact.ts'

export interface SendingOptions {
  config: Config
  clock: Clock
  log: Log
  intervals: DeliveryIntervals
  storage: Storage
  keyring: Keyring
  installation: Installation
  work: WorkQueue
  twig: Twig
  published: EventSink
  suppressions: Suppressions
  emails: Emails
  sendingBrands: Pick<SendingBrands, 'check'>
  contacts: Contacts
  transports: Transports
  mautics: Mautics
  limiter: Limiter
  templateSources: StoredTemplates
  hooks: SendingHooks
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  /** Signs the links in messages. */
  linkKey: Uint8Array
  /** Undefined without a bounce address. */
  returnPaths: ReturnPaths | undefined
}

/** Refusals are looked for after this many `idleMs`. */
const refusalFactor = 10
const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const megabyte = 1_048_576

/** Chooses the route of each message, renders and sends it, and records its outcome. */
export class Sending {
  readonly acceptor: SubmissionAcceptor
  readonly deliverer: Deliverer
  readonly deliveries: Deliveries
  readonly processes: Processes
  readonly rendering: EmailRendererOptions
  readonly resolveRoute: ResolveRoute
  readonly #options: SendingOptions
  readonly #queue: Queue
  readonly #throttles: TransportThrottles
  readonly #transportPool: TransportPool
  readonly #tagger: RefusalTagger
  readonly #contactSender: ContactSender
  readonly #acknowledgements: ReturnType<typeof openAcknowledgements>
  readonly #links: ReturnType<typeof openLinks> | undefined
  readonly #upkeep
  readonly #workers

  constructor(options: SendingOptions) {
    const { config, clock, log, intervals, storage, keyring, work, twig, published, hooks } =
      options
    const { suppressions, emails, contacts, transports, mautics, limiter, returnPaths } = options
    const { installation } = options
    const { mailerDsn: defaultDsn, mailerFrom: defaultFrom, publicUrl, suppressBounces } = config
    const rememberRefusalsMs = config.smtpRefusalMemoryMinutes * minuteMs
    const keepDeliveriesMs = config.deliveriesKeepDays * dayMs
    const processId = randomUUID()
    const group = createGroupCommit(storage)
    // Others expire this process by the time of the database, which no test moves.
    const lease = openLease({ storage, intervals, clock: systemClock })
    const outcomeEvents = new OutcomeEvents(published)
    const deliveryLog = openDeliveryLog({
      storage,
      clock,
      log,
      processId,
      lease,
      group,
      outcomeEvents,
    })
    this.#options = options
    this.#links =
      publicUrl === undefined ? undefined : openLinks({ publicUrl, key: options.linkKey })
    this.rendering = {
      engines: {
        html: twig,
        text: createTwig({ autoescape: false, now: () => new Date(clock.now()) }),
      },
      sources: options.templateSources,
      readContact: openReadContact(storage),
      defaultFrom,
      links: this.#links,
      work,
    }
    this.resolveRoute = createResolveRoute({
      storage,
      mautics,
      hasDefault: defaultDsn !== undefined,
    })
    this.#transportPool = new TransportPool({
      mailer: options.mailer,
      publicMailer: options.publicMailer,
      transports,
      defaultDsn,
      openRates: limiter.openRates,
      openConnections: limiter.openConnections,
      log,
      onAttempt: (attempt) => hooks.attempted.tell(attempt),
    })
    this.#throttles = new TransportThrottles({ clock, log, random: Math.random })
    const mauticReporter = openMauticReporter({ mautics, log })
    this.deliverer = new Deliverer({
      installation,
      transportPool: this.#transportPool,
      limiter,
      throttles: this.#throttles,
      deliveryLog,
      findSuppressions: suppressions.findSuppressions,
      bounces: new BounceRecorder({
        evidence: new TransportEvidence(storage),
        suppressions,
        deliveryLog,
        mauticReporter,
        suppressBounces,
        log,
      }),
      mauticReporter,
      clock,
      log,
      repeatMs: rememberRefusalsMs,
      onUnattempted: (delivery) => hooks.unattempted.tell(delivery),
      returnPathOf: returnPaths && ((delivery) => returnPaths.of(delivery)),
      noteSender: (sender) => hooks.sent.tell(sender),
    })
    const submissionDeliverer = new SubmissionDeliverer({
      storage,
      log,
      resolveRoute: this.resolveRoute,
      deliverer: this.deliverer,
      deliveryLog,
      refusals: new RefusalMemory(clock, rememberRefusalsMs),
      identify: createIdentifyMessage({ mautics, assignments: openAssignmentStore(storage) }),
      findListRule: (mautic, message) => mautics.findListRule(mautic, message),
      rendering: this.rendering,
      messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
    })
    const queue = new Queue({
      storage,
      keyring,
      installation,
      clock,
      log,
      processId,
      group,
      intervals,
      throttles: this.#throttles,
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
      events: published,
      outcomeEvents,
      onUnattempted: (delivery) => hooks.unattempted.tell(delivery),
      onNotificationLimited: () => hooks.notificationLimited.tell(),
    })
    this.#queue = queue
    this.deliveries = openDeliveries(storage, {
      async onSettled(tx, delivery, outcome) {
        await queue.settleUncertain(tx, { keys: delivery.keys, outcome })
        await outcomeEvents.publish(tx, [delivery])
      },
      hasCaptured: async (id) => (await hooks.captured.first(id)) ?? false,
      onCommitted() {
        outcomeEvents.notify(['accepted', 'deferred'])
        queue.wake()
      },
    })
    this.processes = new Processes({
      outcomeEvents,
      storage,
      log,
      processId,
      intervals,
      lease,
      onExpired: (tx, processIds) => queue.recover(tx, processIds),
      onRecovered: () => queue.wake(),
    })
    this.#acknowledgements = openAcknowledgements(storage, { clock, log })
    this.#upkeep = [
      createMaintenance({
        storage,
        installation,
        clock,
        log,
        throttles: this.#throttles,
        transportPool: this.#transportPool,
        keepMs: keepDeliveriesMs,
        holdMs: config.uncertainHoldHours * hourMs,
      }),
      createCountFolding(storage, log),
    ]
    const idleMs = intervals.idleMs * refusalFactor
    this.#tagger = new RefusalTagger({ storage, mautics, clock, log, idleMs })
    const waitMs = config.smtpWaitSeconds * secondMs
    const firstAttempt = new FirstAttempt({ submissionDeliverer, queue, clock, waitMs })
    this.acceptor = new SubmissionAcceptor({
      firstAttempt,
      queue,
      installation,
      log,
      markAcknowledged: (messageKeys) => this.#acknowledgements.markAcknowledged(messageKeys),
      checkSender: options.sendingBrands.check,
    })
    this.#contactSender = new ContactSender({
      storage,
      firstAttempt,
      log,
      emails,
      contacts,
      deliveryLog,
      rendering: this.rendering,
      clock,
      checkSender: options.sendingBrands.check,
    })
    this.#workers = [this.#acknowledgements, queue, deliveryLog, this.#tagger.loop, ...this.#upkeep]
    hooks.reported.add((stored) => queue.brakes.noteEvents(findBraking(stored)))
    mautics.hooks.answering.add((id) => queue.noteChanged(id))
    mautics.hooks.route.add((mautic) => this.#describeRoute(mautic))
    transports.dependents.add('queue', {
      release: async (id, tx) => ({ consequence: await describeQueued(id, tx) }),
    })
  }

  /** What people see of the queue, and do with it. */
  get queue() {
    return this.#queue.admin
  }

  /** The transports that this process has used. */
  readonly listTransports = () => this.#throttles.list()

  readonly countQueue = () => countQueue(this.#options.storage, this.#options.clock.now())

  readonly findOldestQueued = () => findOldestQueued(this.#options.storage)

  addRoutes(server: HttpApp, callers: Callers): void {
    const { storage, clock, log, suppressions, emails, contacts } = this.#options
    const { deliveries, queue, rendering } = this
    const renderWebview = createRenderWebview({ emails, contacts, rendering, log })
    addSendRoute(server, { contactSender: this.#contactSender, callers })
    addDeliveryRoutes(server, deliveries, callers)
    addSettleRoutes(server, deliveries, callers)
    addQueueRoutes(server, { queue, callers })
    addExportRoute(server, deliveries, callers)
    addLinkRoutes(server, { links: this.#links, suppressions, renderWebview, log })
    addStatsRoutes(server, { storage, callers, clock })
  }

  async start(): Promise<void> {
    const { storage, clock } = this.#options
    await this.processes.start()
    await ensureDeliveryPartitions(storage, clock.now())
    for (const each of this.#upkeep) each.start()
    await this.#queue.start()
    this.#tagger.loop.start()
  }

  /** Resolves when nothing is due or in flight any more: whether something was. */
  idle(): Promise<boolean> {
    return idleAll(this.#workers)
  }

  /** Stops sending what is due and waits for deliveries in flight; cancels those after `timeMs`. */
  async drain(timeMs: number): Promise<void> {
    await Promise.all([this.#queue.stop(), this.deliverer.drain(timeMs)])
  }

  /** Cancels everything in flight and closes the transports. */
  async stop(): Promise<void> {
    await this.#tagger.loop.stop()
    await this.deliverer.cancel()
    await this.#queue.stop()
    await this.#acknowledgements.close()
    for (const each of this.#upkeep) await each.stop()
    await this.#transportPool.close()
    await this.processes.stop()
  }

  /** Finds what mail of a Mautic without an assignment is sent through, as a send does. */
  async #describeRoute(mautic: CallerMautic): Promise<UnassignedRoute> {
    const { storage, transports } = this.#options
    const { target, trace } = await this.resolveRoute({ mautic, isDecided: true })
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
}
