import { randomUUID } from 'node:crypto'
import { newDelivery } from '../../../test/new-delivery.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import { createSettle } from '../deliveries/settle-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import {
  createSimulatedTime,
  expectUpstream,
  openSimulatedProcess,
  type SimulatedProcess,
} from './simulated-process.case.test.ts'
import { openSimulatedProcesses, type ProcessEvent } from './simulated-processes.case.test.ts'
import type { StartedAttempt } from './start-attempts.ts'

export type Fate = 'accept' | 'refuse' | 'reply lost' | 'message lost'

/** Something that happens to the cluster. */
export type ClusterEvent =
  | ProcessEvent
  | { kind: 'submit'; process: number; message: number; fate: Fate }
  | { kind: 'send'; process: number }
  | { kind: 'settle' }

/** Several processes on one real database, whose time and faults a test decides, and one server that counts messages. */
export interface SimulatedCluster {
  /** Returns whether anything happened. */
  apply(event: ClusterEvent): Promise<boolean>
  /** How often the server has each message. */
  received(): number[]
  countOf(message: number): number
  close(): Promise<void>
}

/** An attempt that is between its start and its message. */
interface Pending {
  message: number
  attempt: StartedAttempt
  fate: Fate
  ready: Promise<void>
  isLeaseValid: () => boolean
}

interface ClusterProcess extends SimulatedProcess {
  pending: Pending[]
}

export async function createCluster(
  storage: Storage,
  { processCount }: { processCount: number },
): Promise<SimulatedCluster> {
  const run = randomUUID()
  const time = createSimulatedTime()
  /** How often the server has a message, and the deliveries by which it came. */
  const counts = new Map<number, number>()
  const arrived = new Set<number>()
  const settleOne = createSettle(storage, { onSettled: async () => undefined })
  const db = storage.tables<DeliveryTables>()

  const open = async (): Promise<ClusterProcess> =>
    Object.assign(await openSimulatedProcess(storage, time), { pending: [] })
  const processes = await openSimulatedProcesses(storage, { time, count: processCount, open })

  const submit = async (own: ClusterProcess, message: number, fate: Fate): Promise<boolean> => {
    const address = `${message}@model.test`
    const delivery = newDelivery([{ address, messageKey: `${run} ${message}`, bulkKey: null }])
    try {
      const started = await own.deliveryLog.start({ ...delivery, messageId: `<${message}@${run}>` })
      const [attempt] = started.results
      if (attempt?.state !== 'started') return true
      const { flushed: ready, isLeaseValid } = started
      own.pending.push({ message, attempt, fate, ready, isLeaseValid })
    } catch (error) {
      expectUpstream(error)
    }
    return true
  }

  /** Gives the server the message, if the lease is valid then, and writes the outcome. */
  const send = async (own: ClusterProcess): Promise<boolean> => {
    const pending = own.pending.shift()
    if (pending === undefined) return false
    const { message, attempt, fate } = pending
    await pending.ready
    const isSent = pending.isLeaseValid()
    if (isSent && (fate === 'accept' || fate === 'reply lost')) {
      counts.set(message, (counts.get(message) ?? 0) + 1)
      arrived.add(attempt.id)
    }
    const isUncertain = fate === 'reply lost' || fate === 'message lost'
    const outcome = isUncertain ? 'uncertain' : fate === 'accept' ? 'accepted' : 'refused'
    await own.deliveryLog.finish([attempt], resultOf(isSent ? outcome : 'refused'))
    return true
  }

  /** An operator who knows what arrived settles what is uncertain. */
  const settle = async (): Promise<boolean> => {
    const query = db.selectFrom('deliveries').select('id').where('outcome', '=', 'uncertain')
    const rows = await query.where('message_id', 'like', `%@${run}>`).execute()
    for (const { id } of rows) await settleOne(id, arrived.has(id) ? 'accepted' : 'deferred')
    return true
  }

  return {
    async apply(event) {
      const { kind } = event
      if (kind === 'settle') return settle()
      if (kind === 'send') return processes.run(event.process, send)
      if (kind !== 'submit') return processes.apply(event)
      return processes.run(event.process, (own) => submit(own, event.message, event.fate))
    },
    received: () => [...counts.values()],
    countOf: (message) => counts.get(message) ?? 0,
    close: () => processes.close(),
  }
}

export function resultOf(outcome: 'accepted' | 'refused' | 'uncertain'): DeliveryResult {
  const about = { outcome, reply: null, isPermanent: false }
  const attempt = { ...about, member: 'server', stage: 'data' as const, fault: null, durationMs: 1 }
  const rest = { recipients: [], messageId: null, retryAfterMs: null, attempts: [] }
  return { ...attempt, ...rest, isRetrySafe: outcome === 'refused' }
}
