import { randomUUID } from 'node:crypto'
import { callerOf } from '../../../test/mautics.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { newDelivery } from '../../../test/new-delivery.ts'
import { plainMessage } from '../../../test/queue/test-queue.ts'
import { noBrand } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { createSettle } from '../deliveries/settle-delivery.ts'
import {
  createSimulatedTime,
  expectUpstream,
  type Fate,
  openSimulatedProcess,
  openSimulatedProcesses,
  type ProcessEvent,
  resultOf,
  type SimulatedProcess,
  silentLog,
} from '../delivery/log/simulated-process.case.test.ts'
import type { StartedAttempt } from '../delivery/log/start-attempts.ts'
import {
  createReply,
  type RecipientReport,
  reportDuplicate,
} from '../delivery/submission/recipient-reports.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import type { NewQueueMessage } from './add-messages.ts'
import { BulkBrakes } from './brakes/bulk-brakes.ts'
import { createChangeQueued } from './change-queued.ts'
import { Notices, type NoticesOptions } from './notices.ts'
import { type ClaimedRecipient, type MessageFacts, QueueStore } from './queue-store.ts'
import { RecipientSettler } from './recipient-settler.ts'
import { recoverQueued, settleQueued } from './recover-recipients.ts'
import type { QueueTables } from './table.ts'

/** Something that happens to the queue. */
export type QueueEvent = ProcessEvent | QueueWork | PersonWork | { kind: 'settle' }

/** What people do with messages in the queue. */
interface PersonWork {
  kind: 'hold' | 'release' | 'cancel'
  message: number
}

type QueueWork =
  | { kind: 'submit'; process: number; message: number }
  | { kind: 'claim' | 'start'; process: number }
  | { kind: 'send'; process: number; fate: Fate }

/** The queue of several processes on one real database, and one server that counts messages. */
export interface SimulatedQueue {
  /** Returns whether anything happened. */
  apply(event: QueueEvent): Promise<boolean>
  /** How often the server has a message. */
  countOf(message: number): number
  /** Whether a client was answered that the message is stored, and no person has cancelled it since. */
  isStored(message: number): boolean
  close(): Promise<void>
}

interface Claimed {
  message: MessageFacts
  recipient: ClaimedRecipient
}

/** An attempt between its start and its message. */
interface Pending extends Claimed {
  attempt: StartedAttempt
  ready: Promise<void>
  isLeaseValid: () => boolean
}

interface QueueProcess extends SimulatedProcess {
  store: QueueStore
  settler: RecipientSettler
  claimed: Claimed[]
  pending: Pending[]
  /** Whether the answer to a claim may have been lost; see `Dispatcher`. */
  hasLostClaims: boolean
}

/** Retries are due within an hour, and messages expire after a day. */
const dueAheadMs = 7_200_000
const lifetimeMs = 1_000 * dueAheadMs

export async function createSimulatedQueue(
  storage: Storage,
  { processCount }: { processCount: number },
): Promise<SimulatedQueue> {
  const run = randomUUID()
  const time = createSimulatedTime()
  const counts = new Map<string, number>()
  const stored = new Set<number>()
  /** The deliveries by which a message has arrived. */
  const arrived = new Set<number>()
  const keyOf = (message: number) => ({ messageKey: `${run} ${message}`, bulkKey: null })
  const addressOf = (message: number) => `${message}@${run}.test`
  const now = () => time.base + time.nowMs
  const settleOne = createSettle(storage, {
    onSettled: (tx, { keys }, outcome) => settleQueued(tx, { storage, keys, outcome, now: now() }),
  })
  const db = storage.tables<QueueTables & DeliveryTables>()
  await db.deleteFrom('queue_recipients').execute()
  await db.deleteFrom('queue_messages').execute()
  const changeQueued = createChangeQueued({
    storage,
    clock: clockAt(now),
    processId: randomUUID(),
    onRemoved: () => undefined,
    onDue: () => undefined,
  })

  const open = async (): Promise<QueueProcess> => {
    const own = await openSimulatedProcess(storage, time, {
      async onExpired(tx, processIds) {
        await recoverQueued(tx, { storage, processIds, now: now() })
      },
    })
    const store = new QueueStore({
      storage: own.storage,
      processId: own.processId,
      group: own.group,
      onRemoved: () => undefined,
    })
    const notices = openNotices(store, { storage, clock: own.clock })
    const brakes = new BulkBrakes({ storage, clock: own.clock, log: silentLog })
    const settler = new RecipientSettler({
      store,
      notices,
      brakes,
      clock: own.clock,
      log: silentLog,
      random: () => 0.5,
      retriesUncertain: false,
    })
    return Object.assign(own, { store, settler, claimed: [], pending: [], hasLostClaims: false })
  }
  const processes = await openSimulatedProcesses(storage, { time, count: processCount, open })

  /** Stores a message; while it sends little, the process claims it at once. */
  const submit = async (own: QueueProcess, message: number) => {
    const isClaimed = own.pending.length === 0
    const address = addressOf(message)
    const recipients = [{ ...newRecipient, address, state: isClaimed ? 'claimed' : 'queued' }]
    const times = { created_at: own.clock.now(), expires_at: own.clock.now() + lifetimeMs }
    const row = { ...plainMessage, message_id: null, ...times }
    const { processId } = own
    const adding = { message: row, recipients, keysOf: () => keyOf(message), processId }
    const [added] = await own.store.add(adding as NewQueueMessage)
    stored.add(message)
    if (added?.id === undefined || !added.isClaimed) return
    const recipient = { ...newClaim, id: added.id, message_id: added.messageId, address }
    const { messageKey: message_key } = keyOf(message)
    own.claimed.push({
      message: { ...row, id: added.messageId },
      recipient: { ...recipient, message_key },
    })
  }

  const claim = async (own: QueueProcess) => {
    if (own.hasLostClaims) {
      const known = [...own.claimed, ...own.pending].map(({ recipient }) => recipient.id)
      await own.store.releaseClaims(known)
      own.hasLostClaims = false
    }
    const dueAt = own.clock.now() + dueAheadMs
    const { lanesByTransport } = await own.store.findDue(dueAt)
    const heads = [...lanesByTransport].flatMap(([transportId, lanes]) =>
      lanes.map((lane) => ({ transportId, lane })),
    )
    for (const { transportId, lane } of heads) {
      const recipients = await own.store.claim({ transportId, lane, limit: 2 }, dueAt)
      const messages = await own.store.findMessages(recipients.map((each) => each.message_id))
      const byId = new Map(messages.map(({ message }) => [message.id, message]))
      for (const recipient of recipients) {
        const message = byId.get(recipient.message_id)
        if (message !== undefined) own.claimed.push({ message, recipient })
      }
    }
  }

  const settleAs = async (own: QueueProcess, claimed: Claimed, report: RecipientReport) => {
    // Outcomes are written until they are: see `RetriedWrites`.
    const write = async <Result>(once: () => Promise<Result>) => {
      for (;;) {
        try {
          return await once()
        } catch (error) {
          expectUpstream(error)
        }
      }
    }
    await own.settler.settle(claimed.message, [{ ...claimed, report, failure: undefined }], write)
  }

  const start = async (own: QueueProcess) => {
    const claimed = own.claimed.shift()
    if (claimed === undefined) return false
    const { address, message_key: messageKey } = claimed.recipient
    try {
      const started = await own.deliveryLog.start({
        ...newDelivery([{ address, messageKey, bulkKey: null }]),
        messageId: `<${address.replace(/@.*/, '')}@${run}.test>`,
      })
      const [result] = started.results
      if (result === undefined) throw new Error('The attempt has no result.')
      if (result.state === 'duplicate') await settleAs(own, claimed, reportDuplicate(result))
      else {
        const { flushed: ready, isLeaseValid } = started
        own.pending.push({ ...claimed, attempt: result, ready, isLeaseValid })
      }
    } catch (error) {
      expectUpstream(error)
      const reply = createReply(451, '4.3.0', 'The database is lost.')
      await settleAs(own, claimed, { address, state: 'unsent', reply })
    }
    return true
  }

  /** Gives the server a message, if the lease is valid then, and records the outcome. */
  const send = async (own: QueueProcess, fate: Fate) => {
    const pending = own.pending.shift()
    if (pending === undefined) return false
    const { attempt, ready, isLeaseValid, recipient } = pending
    await ready
    const isSent = isLeaseValid()
    const { address } = recipient
    if (isSent && (fate === 'accept' || fate === 'reply lost')) {
      counts.set(address, (counts.get(address) ?? 0) + 1)
      arrived.add(attempt.id)
    }
    const isKnown = !isSent || fate === 'accept' || fate === 'refuse'
    const isAccepted = isSent && fate === 'accept'
    const known = isAccepted ? 'accepted' : 'deferred'
    const state = isKnown ? known : 'uncertain'
    const outcome = isAccepted ? 'accepted' : 'refused'
    await own.deliveryLog.finish([attempt], resultOf(isKnown ? outcome : 'uncertain'))
    const reply = createReply(state === 'accepted' ? 250 : 451, '4.0.0', state)
    await settleAs(own, pending, { address, state, reply })
    return true
  }

  /** An operator who knows what arrived settles what is uncertain. */
  const settleUncertain = async () => {
    const query = db.selectFrom('deliveries').select('id').where('outcome', '=', 'uncertain')
    const rows = await query.where('message_id', 'like', `%@${run}.test>`).execute()
    for (const { id } of rows)
      await settleOne(id, arrived.has(id) ? 'accepted' : 'deferred', callerOf(undefined))
  }

  const work = async (own: QueueProcess, event: QueueWork): Promise<boolean> => {
    try {
      if (event.kind === 'submit') await submit(own, event.message)
      else if (event.kind === 'claim') await claim(own)
      else if (event.kind === 'start') return await start(own)
      else if (event.kind === 'send') return await send(own, event.fate)
    } catch (error) {
      expectUpstream(error)
      own.hasLostClaims = true
    }
    return true
  }

  const workAsPerson = async ({ kind, message }: PersonWork): Promise<boolean> => {
    const row = await db
      .selectFrom('queue_recipients')
      .select('id')
      .where('message_key', '=', keyOf(message).messageKey)
      .executeTakeFirst()
    if (row === undefined) return false
    const isChanged = await changeQueued.one({ action: kind, by: 'Ann' }, row.id)
    if (isChanged && kind === 'cancel') stored.delete(message)
    return isChanged
  }

  return {
    async apply(event) {
      switch (event.kind) {
        case 'submit':
        case 'claim':
        case 'start':
        case 'send':
          return processes.run(event.process, (own) => work(own, event))
        case 'settle':
          await settleUncertain()
          return true
        case 'hold':
        case 'release':
        case 'cancel':
          return workAsPerson(event)
        default:
          return processes.apply(event)
      }
    },
    countOf: (message) => counts.get(addressOf(message)) ?? 0,
    isStored: (message) => stored.has(message),
    close: () => processes.close(),
  }
}

/** Notices of which no notification is made. */
export function openNotices(
  store: QueueStore,
  { storage, clock }: Pick<NoticesOptions, 'storage' | 'clock'>,
): Notices {
  return new Notices({
    storage,
    store,
    notifications: { compose: async () => undefined },
    submit: async () => false,
    openBody: async () => new Uint8Array(),
    clock,
    log: silentLog,
    onRemoved: () => undefined,
  })
}

const newRecipient = {
  attempts: 0,
  due_at: 0,
  problem: null,
  transport_id: noTransport,
  brand_id: noBrand,
}
const newClaim = {
  ...newRecipient,
  lane: plainMessage.lane,
  brake_id: null,
  decided_by: null,
}
