import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clockAt } from '../../../../test/movable-clock.ts'
import { volume } from '../../../../test/volume.ts'
import { connectionLeaseMs } from '../rules.ts'
import { emptyUsage, exchange, type LimitRules, type UsageAsk } from '../usage/usage.ts'
import { Timeline } from './timeline.case.test.ts'
import { TokenLease } from './token-lease.ts'

interface SimulatedProcess {
  clockAheadMs: number
  /** How many connections it would like to have. */
  wants: number
  messageMs: number
  diesAt: number | undefined
  /** It does nothing in this time, and then resumes where it was. */
  freeze: { at: number; forMs: number } | undefined
}

interface World {
  max: number
  databaseMs: number
  processes: SimulatedProcess[]
  /** Answers of the database that are lost: one of so many. */
  lostOneOf: number
}

const durationMs = 40_000
/** See `SessionPermits`. */
const [turnMs, endMs] = [2_000, 500]

/** Opens as many connections as it may, and sends over them. Returns the most at a time, and the messages of each process. */
async function simulate(world: World): Promise<{ most: number; messages: number[] }> {
  const timeline = new Timeline()
  const usage = emptyUsage()
  const { max, databaseMs, lostOneOf } = world
  const rules: LimitRules = {
    ...{ perSecond: max, restMs: 0, leaseMs: connectionLeaseMs },
    windows: [],
  }
  const open = new Set<object>()
  const messages = world.processes.map(() => 0)
  let most = 0
  let asked = 0
  for (const [index, process] of world.processes.entries()) {
    const { clockAheadMs, wants, messageMs, freeze, diesAt = Number.POSITIVE_INFINITY } = process
    const own = new Set<object>()
    const schedule = (work: () => void, delayMs: number): { cancel(): void } =>
      timeline.schedule(delayMs, () => {
        const leftMs = freeze === undefined ? 0 : freeze.at + freeze.forMs - timeline.now
        if (timeline.now >= diesAt) return
        if (freeze !== undefined && timeline.now >= freeze.at && leftMs > 0) schedule(work, leftMs)
        else work()
      })
    // The system closes the connections of a process that has ended.
    if (process.diesAt !== undefined)
      timeline.schedule(process.diesAt, () => {
        for (const each of own) open.delete(each)
      })
    const wait = (ms: number) => new Promise<void>((done) => void schedule(done, ms))
    const lease = new TokenLease(rules, {
      clock: clockAt(() => timeline.now + clockAheadMs),
      schedule,
      async exchange(ask: UsageAsk) {
        await wait(databaseMs / 2)
        asked += 1
        const context = { rules, process: `p${index}`, now: 1_000_000 + timeline.now }
        const grant = JSON.parse(JSON.stringify(exchange(usage, ask, context)))
        await wait(databaseMs / 2)
        if (lostOneOf > 0 && asked % lostOneOf === 0) throw new Error('lost')
        return grant
      },
    })
    const connect = async () => {
      const taken = await lease.take(1, { waitMs: durationMs })
      if ('freeAt' in taken) return
      taken.markSent()
      const connection = {}
      for (const set of [open, own]) set.add(connection)
      most = Math.max(most, open.size)
      const openedAt = timeline.now
      while (taken.isValid() && !(lease.isOverShare && timeline.now - openedAt > turnMs)) {
        await wait(messageMs)
        messages[index] = (messages[index] ?? 0) + 1
      }
      for (const set of [open, own]) set.delete(connection)
      await wait(endMs)
      taken.release()
      void connect()
    }
    for (let count = 0; count < wants; count++) schedule(() => void connect(), index + count)
  }
  await timeline.run(durationMs)
  return { most, messages }
}

const moment = fc.integer({ min: 1, max: durationMs })
const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

test('no more connections are open than the limit, whatever processes crash, or freeze for ten seconds', async () => {
  const process = fc.record({
    clockAheadMs: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    wants: fc.integer({ min: 1, max: 4 }),
    messageMs: fc.integer({ min: 100, max: 2_000 }),
    diesAt: optionally(moment),
    freeze: optionally(fc.record({ at: moment, forMs: fc.integer({ min: 1, max: 10_000 }) })),
  })
  const world = fc.record({
    max: fc.integer({ min: 1, max: 5 }),
    databaseMs: fc.integer({ min: 0, max: 200 }),
    processes: fc.array(process, { minLength: 2, maxLength: 5 }),
    lostOneOf: fc.constantFrom(0, 0, 3, 10),
  })
  await fc.assert(
    fc.asyncProperty(world, async (each) => {
      const { most } = await simulate(each)
      assert.ok(most <= each.max, `${most} of ${each.max}`)
    }),
    { numRuns: volume({ short: 60, full: 2_000 }) },
  )
})

test('four processes take turns at fewer connections, and use them most of the time', async () => {
  for (const max of [1, 3]) {
    const sending = { wants: 2, messageMs: 20, diesAt: undefined, freeze: undefined }
    const processes = [1, 2, 3, 4].map((each) => ({ ...sending, clockAheadMs: each * 777 }))
    const { most, messages } = await simulate({ max, databaseMs: 4, processes, lostOneOf: 0 })
    assert.ok(most <= max)
    const total = messages.reduce((sum, each) => sum + each, 0)
    assert.ok(
      Math.min(...messages) >= 0.4 * (total / messages.length),
      `${messages.join()} messages`,
    )
    assert.ok(total >= 0.5 * max * (durationMs / sending.messageMs), `${total} messages`)
  }
})
