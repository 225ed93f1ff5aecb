import { randomUUID } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { createLog } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import { defaultIntervals } from '../intervals.ts'
import { type DeliveryLog, openDeliveryLog } from './delivery-log.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { type Lease, openLease } from './lease.ts'
import { Processes, type ProcessesOptions } from './processes.ts'

/** The time of all simulated processes, and of their database. */
export interface SimulatedTime {
  readonly base: number
  nowMs: number
  /** What the clock of the database differs. */
  databaseMs: number
}

/** A process on a real database, whose time and faults a test decides. */
export interface SimulatedProcess {
  processId: string
  /** Fails as `fault` says. */
  storage: Storage
  clock: Clock
  lease: Lease
  group: GroupCommit
  deliveryLog: DeliveryLog
  processes: Processes
  isFrozen: boolean
  /** How the next transaction fails: after its commit, or before it. */
  fault: 'answer' | 'database' | undefined
  /** What its wall clock differs. */
  wallMs: number
}

export const silentLog = createLog('silent')
const intervals = defaultIntervals
const lostAnswer = () => new AppError('upstream', 'database_answer_lost', 'The answer was lost.')
const lostDatabase = () => new AppError('upstream', 'database_unavailable', 'It is lost.')

export function createSimulatedTime(): SimulatedTime {
  return { base: Date.now(), nowMs: 0, databaseMs: 0 }
}

/** What a process does besides logging its attempts. */
export interface SimulatedProcessOptions {
  processId?: string
  onExpired?: ProcessesOptions['onExpired']
}

export async function openSimulatedProcess(
  storage: Storage,
  time: SimulatedTime,
  { processId = randomUUID(), onExpired = async () => undefined }: SimulatedProcessOptions = {},
): Promise<SimulatedProcess> {
  const faulty: Storage = {
    ...storage,
    now: async () => time.base + time.nowMs + time.databaseMs,
    async transaction(work, options) {
      const { fault } = own
      own.fault = undefined
      if (fault === 'database') throw lostDatabase()
      const result = await storage.transaction(work, options)
      if (fault === 'answer') throw lostAnswer()
      return result
    },
  }
  const wall = () => time.base + time.nowMs + own.wallMs
  const clock = { now: wall, monotonic: () => time.nowMs }
  const lease = openLease({ storage, intervals, clock })
  const group = createGroupCommit(faulty)
  const parts = { storage: faulty, log: silentLog, processId, lease, group }
  const own: SimulatedProcess = {
    ...{ processId, storage: faulty, clock, lease, group },
    ...{ isFrozen: false, fault: undefined, wallMs: 0 },
    deliveryLog: openDeliveryLog({ ...parts, clock }),
    processes: new Processes({ ...parts, intervals, onExpired }),
  }
  await own.processes.heartbeat()
  return own
}

/** Lets time pass, second by second, with the heartbeats of the processes that run. */
export async function passTime(
  time: SimulatedTime,
  all: readonly SimulatedProcess[],
  seconds: number,
): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    time.nowMs += 1_000
    if (time.nowMs % intervals.heartbeatMs !== 0) continue
    for (const { processes, isFrozen } of all)
      if (!isFrozen) await processes.heartbeat().catch(expectUpstream)
  }
}

/** What the server does with a message. */
export type Fate = 'accept' | 'refuse' | 'reply lost' | 'message lost'

export function resultOf(outcome: 'accepted' | 'refused' | 'uncertain'): DeliveryResult {
  const about = { outcome, reply: null, isPermanent: false }
  const attempt = { ...about, member: 'server', stage: 'data' as const, fault: null, durationMs: 1 }
  const rest = { recipients: [], messageId: null, retryAfterMs: null, attempts: [] }
  return { ...attempt, ...rest, isRetrySafe: outcome === 'refused' }
}

/** Rethrows what is no lost database. */
export function expectUpstream(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== 'upstream') throw error
}
