import { hostname } from 'node:os'
import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import { idleAll } from '../../kit/worker.ts'
import type { Message } from '../../libraries/mailer/index.ts'
import type { Installation } from '../../platform/installation/index.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'
import type { SettledOutcome } from '../deliveries/index.ts'
import {
  type DeliveryIntervals,
  type DeliveryTables,
  type Gate,
  type GroupCommit,
  type Lane,
  notifier,
  type OnUnattempted,
  type OutcomeEvents,
  type RecipientReport,
  readSubmission,
  type Submission,
  type SubmissionDeliverer,
  type TransportThrottles,
} from '../delivery/index.ts'
import type { EventSink } from '../published/index.ts'
import type { Transports } from '../transports/index.ts'
import type { AddedRecipient } from './add-messages.ts'
import { BulkBrakes } from './brakes/bulk-brakes.ts'
import type { BrakedMessage } from './brakes/bulk-group.ts'
import { Dispatcher } from './dispatcher.ts'
import { Notices } from './notices.ts'
import { FailureNotifications } from './notifications/failure-notifications.ts'
import { QueueAdmin } from './queue-admin.ts'
import { QueueGate, type QueueGateParts } from './queue-gate.ts'
import { createQueueSize } from './queue-size.ts'
import { type ClaimMessage, QueueStore } from './queue-store.ts'
import { RecipientSettler } from './recipient-settler.ts'
import { recoverQueued, settleQueued } from './recover-recipients.ts'
import { RouteWaker } from './route-waker.ts'
import { createMessageBodies, MessageWriter, type QueuedRecipient } from './store-message.ts'
import { TransportHolds } from './transport-holds.ts'

const minuteMs = 60_000
/** Wakes the dispatchers of all processes when messages are due. */
const channel = 'queue'
/** A notification may be lost with its connection: then dispatchers look after this many `idleMs`. */
const missedFactor = 10
/** It blocks SQLite's single writer for some ten milliseconds. */
const uncertainPerMinute = 500

export interface QueueSettings {
  /** The size limit of all messages. */
  bytesMax: number
  /** How long delivery is tried, by lane. */
  lifetimesMs: Readonly<Record<Lane, number>>
  /** Whether a transactional message whose outcome is uncertain is sent again. */
  retriesUncertain: boolean
}

export interface QueueOptions {
  storage: Storage
  keyring: Pick<Keyring, 'sealBytes' | 'openBytes'>
  installation: Pick<Installation, 'unconfirmed'>
  clock: Clock
  log: Log
  processId: string
  group: GroupCommit
  intervals: DeliveryIntervals
  throttles: TransportThrottles
  transports: Pick<Transports, 'findRow'>
  submissionDeliverer: Pick<SubmissionDeliverer, 'deliver'>
  settings: QueueSettings
  keepDeliveriesMs: number
  /** Notifications are sent through it. */
  defaultDsn: string | undefined
  /** The address in From of notifications. */
  defaultFrom: string
  onUnattempted?: OnUnattempted
  /** Where brakes are published. Default: nowhere. */
  events?: EventSink | undefined
  /** Publishes outcomes of recipients without an attempt. */
  outcomeEvents?: OutcomeEvents
  /** Called when a notification is dropped because its sender had too many within an hour. */
  onNotificationLimited?: (() => void) | undefined
}

export interface StoreRequest {
  submission: Submission
  recipients: readonly QueuedRecipient[]
  /** The attempt in progress for recipients in the state `claimed`. */
  reports?: Promise<readonly RecipientReport[]>
  /** `routeChanges` when the attempt began. Default: none was made. */
  changes?: number
}

/** Messages that Mailyard has accepted and delivers itself. */
export class Queue {
  /** What people see of the queue, and do with it. */
  readonly admin: QueueAdmin
  readonly brakes: BulkBrakes
  readonly notices: Notices
  readonly #options: QueueOptions
  readonly #store: QueueStore
  readonly #writer: MessageWriter
  readonly #dispatcher: Dispatcher
  readonly #holds: TransportHolds
  readonly #gateParts: QueueGateParts
  readonly #waker: RouteWaker
  readonly #upkeep: Periodic

  constructor(options: QueueOptions) {
    const { storage, keyring, clock, log, processId, group, intervals, throttles } = options
    const { bytesMax, lifetimesMs, retriesUncertain } = options.settings
    const { onUnattempted } = options
    const size = createQueueSize(storage, clock, bytesMax)
    const onRemoved = (bytes: number) => size.release(bytes)
    const store = new QueueStore({
      storage,
      processId,
      group,
      onRemoved,
      onUnattempted,
      outcomeEvents: options.outcomeEvents,
    })
    const bodies = createMessageBodies(keyring)
    this.#options = options
    this.#store = store
    this.#writer = new MessageWriter({ store, bodies, size, clock, processId, lifetimesMs })
    const notifications = new FailureNotifications({
      canSend: options.defaultDsn !== undefined,
      reportingMta: hostname(),
      from: { name: 'Mail Delivery System', address: options.defaultFrom },
      onLimited: options.onNotificationLimited,
      clock,
      log,
    })
    const openBody = async (id: number) => bodies.open(await store.getBody(id))
    this.notices = new Notices({
      storage,
      store,
      notifications,
      submit: (notification, claim) => this.#submitNotification(notification, claim),
      openBody,
      clock,
      log,
      onRemoved,
    })
    this.brakes = new BulkBrakes({ storage, clock, log, events: options.events })
    this.#upkeep = new Periodic({
      task: () => this.#maintain(),
      intervalMs: minuteMs,
      log,
      events: { failed: 'queue maintenance failed', recovered: 'queue maintenance resumed' },
    })
    this.#holds = new TransportHolds({ storage, clock, log })
    this.#gateParts = { holds: this.#holds, brakes: this.brakes, throttles, clock }
    const settler = new RecipientSettler({
      store,
      clock,
      log,
      random: Math.random,
      notices: this.notices,
      brakes: this.brakes,
      retriesUncertain,
    })
    this.#waker = new RouteWaker({ storage, clock, log, intervals, onDue: () => this.wake() })
    this.#dispatcher = new Dispatcher({
      store,
      bodies,
      throttles,
      submissionDeliverer: options.submissionDeliverer,
      settler,
      brakes: this.brakes,
      holds: this.#holds,
      waker: this.#waker,
      installation: options.installation,
      clock,
      log,
      intervals,
      // A command of the operator changes the queue of one process without waking it.
      pollMs: storage.isShared ? intervals.idleMs * missedFactor : intervals.idleMs,
    })
    this.admin = new QueueAdmin({
      storage,
      clock,
      log,
      store,
      bodies,
      processId,
      throttles,
      transports: options.transports,
      brakes: this.brakes,
      holds: this.#holds,
      size,
      bytesMax,
      onRemoved,
      onUnattempted,
      onDue: () => this.wake(),
    })
  }

  /**
   * Stores a message for some of its recipients; resolves once it is on the disk. Returns undefined if the queue is
   * full. Throws an AppError (`upstream`) if the database is lost or its disk full.
   */
  async add({
    submission,
    recipients,
    reports,
    changes = this.routeChanges,
  }: StoreRequest): Promise<readonly AddedRecipient[] | undefined> {
    // While there is capacity, a new message is sent at once: it is not read from the database again.
    const isSentNow =
      reports === undefined && recipients.every(isNew) && this.#dispatcher.canSend(submission)
    const stored = await this.#dispatcher.claiming(
      this.#writer.store(submission, isSentNow ? recipients.map(claim) : recipients),
    )
    if (stored === undefined) return undefined
    const { added, message, claimed } = stored
    if (claimed.length > 0) {
      if (reports === undefined) this.#dispatcher.sendNew(message, claimed, submission)
      else this.#dispatcher.adopt(message, claimed, { reports, changes })
      return added
    }
    if (recipients.some(({ waits_for: route }) => typeof route === 'number'))
      this.#waker.noteWaiting(changes)
    const dueAt = Math.min(...recipients.map((each) => each.due_at ?? 0))
    // The other processes look before what is due later.
    if (dueAt > this.#options.clock.now()) this.#dispatcher.expect(dueAt)
    else this.wake()
    return added
  }

  /** Returns the gate of a message whose sender waits: a brake or a person may hold it. */
  gateOf(message: BrakedMessage): Gate {
    return new QueueGate(this.#gateParts, message)
  }

  /** How many changes of routes this process has heard of. */
  get routeChanges(): number {
    return this.#waker.changes
  }

  /** Call it for a recipient that was added after an attempt; see `RouteWaker`. */
  expectAnswer(id: number, report: RecipientReport): void {
    this.#waker.expectAnswer(id, report)
  }

  /** Call it when a Mautic answers after an outage. */
  noteChanged(mauticId: number): void {
    this.#waker.noteChanged(mauticId)
  }

  /** Makes the dispatchers of all processes look for what is due. Call it after the commit. */
  wake(): void {
    this.#options.storage.notify(channel)
  }

  async start(): Promise<void> {
    await this.brakes.start()
    await this.#holds.copy.start()
    this.#options.storage.listen(channel, () => this.#dispatcher.wake())
    this.#dispatcher.start()
    this.#waker.start()
    this.#upkeep.start()
  }

  /** Resolves when nothing is due or in flight any more: whether something was. */
  idle(): Promise<boolean> {
    return idleAll([
      this.brakes.looking,
      this.#holds.copy,
      this.#upkeep,
      this.#waker,
      this.#dispatcher,
    ])
  }

  /** Stops sending and waits for messages in flight. */
  async stop(): Promise<void> {
    await Promise.all([this.#upkeep.stop(), this.#waker.stop(), this.#dispatcher.stop()])
    await this.#holds.copy.stop()
    await this.brakes.stop()
  }

  /** Recovers the work of expired processes, in the transaction that removes them. */
  async recover(tx: Transaction<DeliveryTables>, processIds: readonly string[]): Promise<void> {
    const { storage, clock, log } = this.#options
    const recovered = await recoverQueued(tx, { storage, processIds, now: clock.now() })
    const { requeued, uncertain, done } = recovered
    if (requeued + uncertain + done > 0)
      log.warn(recovered, 'queued messages of expired process recovered')
  }

  /** Called when an operator settles an uncertain delivery. */
  async settleUncertain(
    tx: Transaction<DeliveryTables>,
    { keys, outcome }: { keys: readonly string[]; outcome: SettledOutcome },
  ): Promise<void> {
    const { storage, clock } = this.#options
    await settleQueued(tx, { storage, now: clock.now(), keys, outcome })
  }

  /** Stores a notification, to be sent through the default transport. Returns whether it was stored. */
  async #submitNotification({ envelope, raw }: Message, claim?: ClaimMessage): Promise<boolean> {
    const submission = readSubmission({
      submitter: notifier,
      sender: envelope.from,
      recipients: envelope.to,
      chunks: [raw],
      reserve: () => () => undefined,
    })
    const recipients = envelope.to.map((address) => ({ address, state: 'queued' as const }))
    const stored = await this.#writer.store(submission, recipients, claim)
    const isStored = stored !== undefined && stored.added.length > 0
    if (isStored) this.wake()
    return isStored
  }

  /** Deletes old uncertain recipients, maintains the brakes, and sends notifications that are due. */
  async #maintain(): Promise<void> {
    // What waits in a copy is not deleted before a person has seen it.
    if (this.#options.installation.unconfirmed !== undefined) return
    const before = this.#options.clock.now() - this.#options.keepDeliveriesMs
    await this.#store.removeOldUncertain({ before, limit: uncertainPerMinute })
    await this.brakes.maintain()
    await this.notices.finishDue()
  }
}

function claim(recipient: QueuedRecipient): QueuedRecipient {
  return { ...recipient, state: 'claimed' }
}

function isNew({ state, attempts }: QueuedRecipient): boolean {
  return state === 'queued' && attempts === undefined
}
