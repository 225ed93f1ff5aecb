import { hostname } from 'node:os'
import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import { createNotifySender, type NotifySender } from '../../messages/index.ts'
import type { Keyring, Storage } from '../../storage/index.ts'
import type { Transports } from '../../transports/index.ts'
import type { TransportThrottles } from '../broadcasts/transport-throttle.ts'
import type { SettledOutcome } from '../deliveries/settle-delivery.ts'
import type { DeliveryIntervals } from '../intervals.ts'
import type { GroupCommit } from '../log/group-commit.ts'
import type { ExpiredProcess } from '../log/processes.ts'
import type { DeliverSubmission } from '../submission/deliver-submission.ts'
import type { ReadSubmission } from '../submission/read-submission.ts'
import type { RecipientReport } from '../submission/recipient-reports.ts'
import type { DeliveryTables } from '../table.ts'
import type { OnUnattempted } from '../unattempted.ts'
import type { AddedRecipient } from './add-messages.ts'
import { BulkBrakes } from './bulk-brakes.ts'
import { createMessageBodies } from './message-bodies.ts'
import { Notices } from './notices.ts'
import { createNotifyUnstored, type NotifyUnstored } from './notify-result.ts'
import { createQueueAdmin, type QueueAdmin } from './queue-admin.ts'
import { createQueueLog } from './queue-log.ts'
import { createQueueSize } from './queue-size.ts'
import { openQueueStore, type QueueStore } from './queue-store.ts'
import { QueueWorker } from './queue-worker.ts'
import { recoverQueued, settleQueued } from './recover-recipients.ts'
import { RouteRepairs } from './route-repairs.ts'
import { createSettleRecipients } from './settle-recipient.ts'
import { createStoreMessage, type QueuedRecipient, type StoreMessage } from './store-message.ts'
import { createSubmitNotification, type SubmitNotification } from './submit-notification.ts'
import type { Lane } from './table.ts'

const minuteMs = 60_000
/** Wakes the workers of all processes when messages are due. */
const channel = 'queue'
/** A notification may be lost with its connection: then workers look after this many `idleMs`. */
const missedFactor = 10
/** It blocks SQLite's single writer for some ten milliseconds. */
const uncertainPerMinute = 500
/** Of a larger message, notifications return only the header. */
const returnedBytesMax = 65_536

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
  clock: Clock
  log: Log
  processId: string
  group: GroupCommit
  intervals: DeliveryIntervals
  throttles: TransportThrottles
  transports: Pick<Transports, 'findRow'>
  deliverSubmission: DeliverSubmission
  settings: QueueSettings
  keepDeliveriesMs: number
  /** Notifications are sent through it. */
  defaultDsn: string | undefined
  /** The address in From of notifications. */
  defaultFrom: string
  onUnattempted?: OnUnattempted
  /** Called when a notification is dropped because its sender had too many within an hour. */
  onNotificationLimited?: (() => void) | undefined
}

export interface StoreRequest {
  read: ReadSubmission
  recipients: readonly QueuedRecipient[]
  /** The attempt in progress for recipients in the state `claimed`. */
  reports?: Promise<readonly RecipientReport[]>
}

/** Messages that Mailyard has accepted and delivers itself. */
export interface Queue {
  /** What people see of the queue, and do with it. */
  admin: QueueAdmin
  /**
   * Stores a message for some of its recipients; resolves once it is on the disk. Returns undefined if the queue is
   * full. Throws an AppError (`upstream`) if the database is lost or its disk full.
   */
  store(request: StoreRequest): Promise<readonly AddedRecipient[] | undefined>
  notifyUnstored: NotifyUnstored
  submitNotification: SubmitNotification
  brakes: Pick<BulkBrakes, 'find' | 'count'>
  /** Makes the workers of all processes look for what is due. Call it after the commit. */
  wake(): void
  start(): Promise<void>
  /** Stops sending and waits for messages in flight. */
  stop(): Promise<void>
  /** Recovers the work of expired processes, in the transaction that removes them. */
  recover(tx: Transaction<DeliveryTables>, expired: readonly ExpiredProcess[]): Promise<void>
  /** Called when an operator settles an uncertain delivery. */
  onSettled(
    tx: Transaction<DeliveryTables>,
    settled: { keys: readonly string[]; outcome: SettledOutcome },
  ): Promise<void>
}

export function openQueue(options: QueueOptions): Queue {
  const { storage, keyring, clock, log, processId, group } = options
  const wake = () => storage.notify(channel)
  const { bytesMax, lifetimesMs, retriesUncertain } = options.settings
  const size = createQueueSize(storage, bytesMax)
  const onRemoved = (bytes: number) => size.release(bytes)
  const store = openQueueStore({ storage, processId, onRemoved, group })
  const bodies = createMessageBodies(keyring)
  const storeMessage = createStoreMessage({ store, bodies, size, clock, processId, lifetimesMs })
  const submitNotification = createSubmitNotification(storeMessage, wake)
  const notifySender = openNotifySender(options, submitNotification)
  const openBody = async (id: number) => bodies.open(await store.getBody(id))
  const notices = new Notices({ storage, store, notifySender, openBody, clock, log, onRemoved })
  const queueLog = createQueueLog(options)
  const brakes = new BulkBrakes({ storage, clock, log })
  const settling = { store, queueLog, clock, log, notices, brakes, retriesUncertain }
  const settle = createSettleRecipients({ ...settling, random: Math.random })
  const pollMs = pollMsOf(options)
  const worker = new QueueWorker({ ...options, store, bodies, settle, brakes, pollMs })
  const repairs = new RouteRepairs({
    storage,
    clock,
    log,
    intervals: options.intervals,
    defaultDsn: options.defaultDsn,
    onDue: wake,
  })
  const upkeep = createUpkeep(options, { store, brakes, notices })
  return {
    admin: createQueueAdmin({ ...options, size, bytesMax, brakes, onRemoved, onDue: wake }),
    store: createStore({ clock, storeMessage, worker, wake }),
    brakes,
    notifyUnstored: createNotifyUnstored({
      notifySender,
      addNotices: (messageId, recipients) => notices.add(messageId, recipients),
      clock,
      log,
    }),
    submitNotification,
    wake,
    async start() {
      await brakes.start()
      storage.listen(channel, () => worker.wake())
      worker.start()
      await repairs.addAll()
      repairs.start()
      upkeep.start()
    },
    async stop() {
      await Promise.all([upkeep.stop(), repairs.stop(), worker.stop()])
      await brakes.stop()
    },
    recover: createRecover(options),
    async onSettled(tx, settled) {
      await settleQueued(tx, storage, { ...settled, now: clock.now() })
    },
  }
}

function createStore({ clock, storeMessage, worker, wake }: StoreParts): Queue['store'] {
  return async ({ read, recipients, reports }) => {
    // While there is capacity, a new message is sent at once: it is not read from the database again.
    const isSentNow = reports === undefined && recipients.every(isNew) && worker.canSend(read)
    const stored = await worker.claiming(
      storeMessage(read, isSentNow ? recipients.map(claim) : recipients),
    )
    if (stored === undefined) return undefined
    const { added, message, claimed } = stored
    if (claimed.length > 0) {
      if (reports === undefined) worker.sendRead(message, claimed, read)
      else worker.adopt(message, claimed, reports)
      return added
    }
    const dueAt = Math.min(...recipients.map((each) => each.due_at ?? 0))
    // The other processes look before what is due later.
    if (dueAt > clock.now()) worker.expect(dueAt)
    else wake()
    return added
  }
}

function createRecover({ storage, clock, log }: QueueOptions): Queue['recover'] {
  return async (tx, expired) => {
    const processIds = expired.map(({ id }) => id)
    const recovered = await recoverQueued(tx, storage, { processIds, now: clock.now() })
    const { requeued, uncertain, done } = recovered
    if (requeued + uncertain + done > 0)
      log.warn(recovered, 'queued messages of expired process recovered')
  }
}

/** Of a database that is not shared, commands of the operator change the queue without waking the process that serves it. */
function pollMsOf({ storage, intervals: { idleMs } }: QueueOptions): number {
  return storage.isShared ? idleMs * missedFactor : idleMs
}

function claim(recipient: QueuedRecipient): QueuedRecipient {
  return { ...recipient, state: 'claimed' }
}

function isNew({ state, attempts }: QueuedRecipient): boolean {
  return state === 'queued' && attempts === undefined
}

interface StoreParts extends Pick<QueueOptions, 'clock'>, Pick<Queue, 'wake'> {
  storeMessage: StoreMessage
  worker: QueueWorker
}

/** Opens what sends notifications, through the queue itself. */
function openNotifySender(
  { defaultDsn, defaultFrom, clock, log, onNotificationLimited }: QueueOptions,
  submit: SubmitNotification,
): NotifySender {
  return createNotifySender({
    submit: defaultDsn === undefined ? undefined : submit,
    reportingMta: hostname(),
    from: { name: 'Mail Delivery System', address: defaultFrom },
    returnedBytesMax,
    onLimited: onNotificationLimited,
    clock,
    log,
  })
}

interface UpkeepParts {
  store: QueueStore
  brakes: BulkBrakes
  notices: Notices
}

/** Deletes old uncertain recipients, maintains the brakes, and sends notifications that are due, each minute. */
function createUpkeep(
  { clock, log, keepDeliveriesMs }: QueueOptions,
  { store, brakes, notices }: UpkeepParts,
): Periodic {
  return new Periodic({
    async task() {
      const old = { before: clock.now() - keepDeliveriesMs, limit: uncertainPerMinute }
      await store.removeOldUncertain(old)
      await brakes.maintain()
      await notices.finishDue()
    },
    intervalMs: minuteMs,
    log,
    events: { failed: 'queue maintenance failed', recovered: 'queue maintenance resumed' },
  })
}
