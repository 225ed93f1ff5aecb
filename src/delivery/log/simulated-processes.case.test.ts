import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import {
  passTime,
  type SimulatedProcess,
  type SimulatedTime,
} from './simulated-process.case.test.ts'

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
