import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clockAt } from '../../../../test/movable-clock.ts'
import { volume } from '../../../../test/volume.ts'
import { emptyUsage, exchange, type LimitRules, type UsageAsk } from '../usage/usage.ts'
import { Timeline } from './timeline.case.test.ts'
import { TokenLease } from './token-lease.ts'

interface SimulatedProcess {
  clockAheadMs: number
  everyMs: number
  count: number
  diesAt: number | undefined
  /** It does nothing in this time, and then resumes where it was. */
  freeze: { at: number; forMs: number } | undefined
}

interface World {
  perSecond: number | undefined
  perMinute: number | undefined
  /** How long the database takes to answer. */
  databaseMs: number
  connectMs: number
  /** How long the server takes to answer. */
  serverMs: number
  processes: SimulatedProcess[]
  /** The database's clock is set back. */
  setBack: { at: number; byMs: number } | undefined
  /** Answers of the database that are lost: one of so many. */
  lostOneOf: number
}

const durationMs = 20_000
const runs = volume({ short: 30, full: 1_000 })
const answeredByMs = 2_000

interface Traffic {
  /** When each message was sent, once for each recipient. */
  sent: number[]
  arrived: number[]
  /** How many messages each process sent. */
  bySender: number[]
}

/** The database's clock begins 50 seconds into a minute. */
const databaseStart = 1_010_000
const firstMinuteMs = 10_000

/** Returns when each message arrives, as a share of the time until the answer: at once, at last, or between. */
function createDelays(): () => number {
  let count = 0
  return () => [0, 1, 0.5][count++ % 3] ?? 0
}

/** Runs processes that send as much as they may. */
async function simulate(world: World): Promise<Traffic> {
  const timeline = new Timeline()
  const usage = emptyUsage()
  const delays = createDelays()
  const traffic: Traffic = { sent: [], arrived: [], bySender: world.processes.map(() => 0) }
  const { perMinute } = world
  const rules: LimitRules = {
    ...(world.perSecond === undefined ? {} : { perSecond: world.perSecond }),
    windows: perMinute === undefined ? [] : [{ window: 'minute', max: () => perMinute }],
  }
  let asked = 0
  let setBackMs = 0
  const databaseNow = () => databaseStart + timeline.now - setBackMs
  if (world.setBack !== undefined) {
    const { at, byMs } = world.setBack
    timeline.schedule(at, () => {
      setBackMs = byMs
    })
  }
  for (const [index, process] of world.processes.entries()) {
    const { clockAheadMs, everyMs, count, diesAt = Number.POSITIVE_INFINITY, freeze } = process
    const isDead = () => timeline.now >= diesAt
    const schedule = (work: () => void, delayMs: number): { cancel(): void } =>
      timeline.schedule(delayMs, () => {
        const leftMs = freeze === undefined ? 0 : freeze.at + freeze.forMs - timeline.now
        if (isDead()) return
        if (freeze !== undefined && timeline.now >= freeze.at && leftMs > 0) schedule(work, leftMs)
        else work()
      })
    const wait = (ms: number) => new Promise<void>((done) => void schedule(done, ms))
    const lease = new TokenLease(rules, {
      clock: clockAt(() => timeline.now + clockAheadMs),
      schedule,
      async exchange(ask: UsageAsk) {
        await wait(world.databaseMs / 2)
        asked += 1
        const context = { rules, process: `p${index}`, now: databaseNow() }
        const grant = JSON.parse(JSON.stringify(exchange(usage, ask, context)))
        await wait(world.databaseMs / 2)
        if (world.lostOneOf > 0 && asked % world.lostOneOf === 0) throw new Error('lost')
        return grant
      },
    })
    const send = async () => {
      const taken = await lease.take(count, { waitMs: 2_000 })
      if ('freeAt' in taken) return
      await wait(world.connectMs)
      if (!taken.isValid()) return taken.release()
      taken.markSent()
      traffic.bySender[index] = (traffic.bySender[index] ?? 0) + 1
      for (let each = 0; each < count; each++) {
        traffic.sent.push(timeline.now)
        traffic.arrived.push(timeline.now + world.serverMs * delays())
      }
      await wait(world.serverMs)
      taken.release()
    }
    const repeat = () => {
      void send()
      schedule(repeat, everyMs)
    }
    schedule(repeat, index)
  }
  await timeline.run(durationMs)
  traffic.arrived.sort((one, other) => one - other)
  return traffic
}

/** The most arrived in any span of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  let first = 0
  let most = 0
  for (const [index, time] of times.entries()) {
    while (time - (times[first] ?? 0) >= spanMs) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}

const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const moment = fc.integer({ min: 1, max: durationMs })
const process = fc.record({
  clockAheadMs: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  everyMs: fc.integer({ min: 20, max: 200 }),
  count: fc.integer({ min: 1, max: 2 }),
  diesAt: optionally(moment),
  freeze: optionally(fc.record({ at: moment, forMs: fc.integer({ min: 1, max: 9_000 }) })),
})
const environment = {
  databaseMs: fc.integer({ min: 0, max: 200 }),
  connectMs: fc.integer({ min: 0, max: 500 }),
  serverMs: fc.integer({ min: 1, max: answeredByMs }),
  processes: fc.array(process, { minLength: 2, maxLength: 5 }),
  lostOneOf: fc.constantFrom(0, 0, 3, 10),
}
const never = fc.constant(undefined)

test('no sliding second has more than the limit, whatever processes crash or freeze, and whatever the clocks show', async () => {
  const world = fc.record({
    ...environment,
    perSecond: fc.integer({ min: 2, max: 8 }),
    perMinute: never,
    setBack: optionally(fc.record({ at: moment, byMs: fc.integer({ min: 1, max: 5_000_000 }) })),
  })
  await fc.assert(
    fc.asyncProperty(world, async (each) => {
      const most = mostWithin((await simulate(each)).arrived, 1_000)
      assert.ok(most <= each.perSecond, `${most} of ${each.perSecond} in a second`)
    }),
    { numRuns: runs },
  )
})

test('no minute has more than the limit, whatever processes crash or freeze', async () => {
  const world = fc.record({
    ...environment,
    perSecond: optionally(fc.integer({ min: 2, max: 30 })),
    perMinute: fc.integer({ min: 2, max: 60 }),
    setBack: never,
  })
  await fc.assert(
    fc.asyncProperty(world, async (each) => {
      const { sent } = await simulate(each)
      const first = sent.filter((time) => time < firstMinuteMs).length
      for (const count of [first, sent.length - first])
        assert.ok(count <= each.perMinute, `${count} of ${each.perMinute} in a minute`)
    }),
    { numRuns: runs },
  )
})

const steady: World = {
  perSecond: 100,
  perMinute: undefined,
  databaseMs: 4,
  connectMs: 0,
  serverMs: 10,
  processes: Array.from({ length: 4 }, (_, index) => ({
    clockAheadMs: index * 777,
    everyMs: 20,
    count: 1,
    diesAt: undefined,
    freeze: undefined,
  })),
  setBack: undefined,
  lostOneOf: 0,
}

test('four processes that have enough to send use at least 95 of 100 a second', async () => {
  const { arrived } = await simulate(steady)
  const later = arrived.filter((time) => time >= 5_000)
  assert.ok(mostWithin(arrived, 1_000) <= 100)
  assert.ok(later.length >= 15 * 95, `${later.length} in 15 seconds`)
})

test('with fewer tokens than processes, each process has its turn', async () => {
  for (const perSecond of [1, 2, 3]) {
    const { arrived, bySender } = await simulate({ ...steady, perSecond })
    assert.ok(mostWithin(arrived, 1_000) <= perSecond)
    assert.ok(arrived.length >= 20 * perSecond * 0.8, `${arrived.length} in 20 seconds`)
    const fewest = Math.min(...bySender)
    assert.ok(fewest >= 0.6 * (arrived.length / bySender.length), `${bySender.join()} by process`)
  }
})

test('the tokens of a process that crashes come back', async () => {
  const [first, ...others] = steady.processes
  assert.ok(first !== undefined)
  const crash = { ...first, diesAt: 5_000 }
  const { arrived } = await simulate({ ...steady, processes: [crash, ...others] })
  const later = arrived.filter((time) => time >= 14_000)
  assert.ok(mostWithin(arrived, 1_000) <= 100)
  assert.ok(later.length >= 6 * 95, `${later.length} in 6 seconds`)
})

const dayOf = (max: number): LimitRules => ({ windows: [{ window: 'day', max: () => max }] })

/** A lease whose exchanges take 10 ms. */
function createLease(rules: LimitRules) {
  const timeline = new Timeline()
  const usage = emptyUsage()
  const schedule = (work: () => void, delayMs: number) => timeline.schedule(delayMs, work)
  const lease = new TokenLease(rules, {
    clock: clockAt(() => timeline.now),
    schedule,
    async exchange(ask, current) {
      const context = { rules: current, process: 'p', now: databaseStart + timeline.now }
      const grant = exchange(usage, ask, context)
      await new Promise<void>((done) => void schedule(done, 10))
      return grant
    },
  })
  /** Whether a message that comes at this time gets its tokens. */
  const takeAt = (ms: number, count = 1) =>
    new Promise<boolean>((resolve) => {
      const take = async () => resolve(!('freeAt' in (await lease.take(count, { waitMs: 3_000 }))))
      schedule(() => void take(), ms)
    })
  const results = async (taken: readonly Promise<boolean>[]) => {
    await timeline.run(5_000)
    return Promise.all(taken)
  }
  return { lease, schedule, takeAt, results }
}

test('what comes before, at and after a change of the rules is answered by those of now', async () => {
  for (const raised of [dayOf(4), { perSecond: 3, windows: [] }]) {
    const { lease, schedule, takeAt, results } = createLease(dayOf(1))
    const times = [0, 100, 107, 112]
    const taken = times.map((ms) => takeAt(ms))
    // The second one has asked, and is not answered yet.
    schedule(() => {
      lease.rules = raised
    }, 105)
    assert.deepEqual(await results(taken), [true, true, true, true])
  }
})

test('a window that has too few tokens for many recipients has some for one', async () => {
  const { takeAt, results } = createLease(dayOf(5))
  const taken = [takeAt(0, 6), takeAt(1), takeAt(20, 6), takeAt(30)]
  assert.deepEqual(await results(taken), [false, true, false, true])
})
