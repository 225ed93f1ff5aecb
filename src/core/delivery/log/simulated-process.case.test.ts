import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import { createLog } from '../../../kit/log.ts'
import type { DeliveryResult } from '../../../libraries/mailer/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { defaultIntervals } from '../intervals.ts'
import type { DeliveryTables } from '../table.ts'
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
async function passTime(
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

/** Something that happens to processes and to clocks, whatever the processes do. */
export type ProcessEvent =
  | { kind: 'freeze' | 'thaw' | 'crash' | 'lose answer' | 'lose database'; process: number }
  | { kind: 'set clock'; process: number; seconds: number }
  | { kind: 'wait' | 'set database clock'; seconds: number }

/** Several processes on one real database. */
export interface SimulatedProcesses<Own extends SimulatedProcess> {
  /** Lets a process work, unless it is frozen. Returns whether anything happened. */
  run(process: number, work: (own: Own) => Promise<boolean>): Promise<boolean>
  /** Returns whether anything happened. */
  apply(event: ProcessEvent): Promise<boolean>
  close(): Promise<void>
}

/** What several processes are opened with. */
export interface SimulatedProcessesOptions<Own extends SimulatedProcess> {
  time: SimulatedTime
  count: number
  /** Opens one, also in place of one that crashed. */
  open: () => Promise<Own>
}

/** Opens processes on a database that has no other ones. */
export async function openSimulatedProcesses<Own extends SimulatedProcess>(
  storage: Storage,
  { time, count, open }: SimulatedProcessesOptions<Own>,
): Promise<SimulatedProcesses<Own>> {
  const forgetAll = () =>
    storage.tables<DeliveryTables>().deleteFrom('delivery_processes').execute()
  await forgetAll()
  const all: Own[] = []
  for (let index = 0; index < count; index++) all.push(await open())

  const applyTo = async (own: Own, event: ProcessEvent & { process: number }) => {
    if (event.kind === 'thaw') own.isFrozen = false
    else if (event.kind === 'set clock') own.wallMs += event.seconds * 1_000
    else if (event.kind === 'crash') {
      own.deliveryLog.close()
      all[event.process] = await open()
    } else if (own.isFrozen) return false
    else if (event.kind === 'freeze') own.isFrozen = true
    else own.fault = event.kind === 'lose answer' ? 'answer' : 'database'
    return true
  }
  const run: SimulatedProcesses<Own>['run'] = async (process, work) => {
    const own = all[process]
    const isDone = own !== undefined && (await work(own))
    await setImmediate()
    return isDone
  }
  return {
    run: (process, work) => run(process, async (own) => !own.isFrozen && work(own)),
    async apply(event) {
      if ('process' in event) return run(event.process, (own) => applyTo(own, event))
      if (event.kind === 'wait') await passTime(time, all, event.seconds)
      else time.databaseMs += event.seconds * 1_000
      return true
    },
    async close() {
      for (const own of all) {
        own.fault = undefined
        await own.deliveryLog.drain(5_000)
        own.deliveryLog.close()
      }
      await forgetAll()
    },
  }
}

/** Returns generators of what happens to this many processes and to their clocks, with their weights. */
export function processEvents(count: number) {
  const process = fc.nat(count - 1)
  const ofProcess = <Kind extends ProcessEvent['kind']>(kind: Kind) =>
    fc.record({ kind: fc.constant(kind), process })
  return [
    { weight: 2, arbitrary: ofProcess('freeze') },
    { weight: 2, arbitrary: ofProcess('thaw') },
    { weight: 1, arbitrary: ofProcess('crash') },
    { weight: 2, arbitrary: ofProcess('lose answer') },
    { weight: 1, arbitrary: ofProcess('lose database') },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        seconds: fc.constantFrom(1, 3, 8, 20),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('set database clock' as const),
        seconds: fc.constantFrom(-3_600, -5, 5, 3_600),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('set clock' as const),
        process,
        seconds: fc.constantFrom(-60, 5, 60),
      }),
    },
  ] as const
}
