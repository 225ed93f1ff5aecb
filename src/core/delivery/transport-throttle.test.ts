import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { clockAt } from '../../../test/movable-clock.ts'
import { createLog } from '../../kit/log.ts'
import type { DeliveryResult } from '../../libraries/mailer/index.ts'
import { resultOf } from './log/simulated-process.case.test.ts'
import { TransportThrottle, TransportThrottles, type TransportTurn } from './transport-throttle.ts'

const idle = { connections: 0, sending: 0, waiting: 0 }

/** The result of a server that asks for a back-off. */
function throttled(retryAfterMs: number): DeliveryResult {
  const fault = {
    code: 'throttled',
    scope: 'member',
    stage: 'data',
    message: 'Later.',
    hint: '',
    reply: null,
    isPermanent: false,
    retryAfterMs,
  } as const
  const refused = { ...resultOf('refused'), fault, retryAfterMs }
  return { ...refused, attempts: [refused] }
}

/** A throttle of a transport, by a clock that the test sets. No messages wait in the transport, unless the test says so. */
function openThrottle(load = () => idle) {
  const time = { ms: 0 }
  const options = { clock: clockAt(() => time.ms), random: () => 0.5, log: createLog('silent') }
  const name = { transportId: 1, transport: 'T' }
  return { time, throttle: new TransportThrottle(options, name, load) }
}

/** Returns how many of some messages have got their turn. */
async function countTurns(turns: readonly Promise<TransportTurn>[]): Promise<number> {
  const pending = Symbol('pending')
  const settled = await Promise.all(
    turns.map((turn) => Promise.race([turn, setImmediate(pending)])),
  )
  return settled.filter((each) => each !== pending).length
}

test('a server may ask for a back-off of up to an hour', async () => {
  const { time, throttle } = openThrottle()
  const send = async (retryAfterMs: number) => {
    const turn = await throttle.acquire('bulk')
    turn.startSending(1)
    turn.end()
    throttle.noteResult(throttled(retryAfterMs))
    return throttle.unavailableUntil - time.ms
  }
  assert.equal(await send(1_800_000), 1_800_000)
  // In flight together with the first: one fails in its pause, and asks for a longer one.
  throttle.noteResult(throttled(1_900_000))
  throttle.noteResult(resultOf('accepted'))
  assert.equal(throttle.unavailableUntil - time.ms, 1_900_000, 'one that is accepted ends no pause')
  time.ms += 1_900_000
  assert.equal(await send(Date.parse('9999-12-31')), 3_600_000)
})

test('a transport that has failed is tried with one message', async () => {
  const { time, throttle } = openThrottle()
  throttle.noteResult(throttled(1_000))
  time.ms += 1_000
  for (const result of [resultOf('accepted'), throttled(1_000)]) throttle.noteResult(result)
  assert.deepEqual([throttle.state.failedAt, throttle.unavailableUntil], [0, 5_000])
  time.ms += 10_000
  const turns = Array.from({ length: 5 }, () => throttle.acquire('bulk'))
  assert.equal(await countTurns(turns), 1)
  throttle.noteResult(throttled(1_000))
  assert.equal(await countTurns(turns), 5, 'the others are put off')
})

test('few messages wait in a transport; each gets its turn when another one is being sent', async () => {
  const { throttle } = openThrottle()
  const turns = Array.from({ length: 5 }, () => throttle.acquire('bulk'))
  assert.equal(await countTurns(turns), 2)
  const [first] = turns
  ;(await first)?.startSending(1)
  assert.equal(await countTurns(turns), 3)
})

test('a message gets its turn also where those before it leave the transport without an event', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  // Clients wait for them, so they have no turn.
  let waiting = 5
  const { throttle } = openThrottle(() => ({ ...idle, waiting }))
  const turns = [throttle.acquire('bulk'), throttle.acquire('transactional')]
  context.mock.timers.tick(1_000)
  assert.equal(await countTurns(turns), 0)
  waiting = 0
  context.mock.timers.tick(1_000)
  assert.equal(await countTurns(turns), 2)
})

test('more messages are taken where the log is slow, but not where they wait for a limit before it', async (context) => {
  let nowMs = 0
  context.mock.method(performance, 'now', () => nowMs)
  /** The window after some messages that each waited for a limit, and for the log. */
  const windowAfter = async (limitMs: number, startMs: number) => {
    const { throttle } = openThrottle()
    for (let sent = 0; sent < 100; sent += 1) {
      const turn = await throttle.acquire('bulk')
      nowMs += limitMs
      turn.startSending(startMs)
      nowMs += 1
      turn.end()
    }
    return throttle.window
  }
  const quick = await windowAfter(0, 1)
  assert.equal(await windowAfter(10, 1), 10, 'a slow one gets the fewest')
  assert.ok((await windowAfter(0, 100)) > 2 * quick)
})

test('transactional messages get their turn before bulk messages', async () => {
  const { throttle } = openThrottle()
  const taken = [await throttle.acquire('bulk'), await throttle.acquire('bulk')]
  const bulk = throttle.acquire('bulk')
  const transactional = throttle.acquire('transactional')
  taken[0]?.end()
  assert.deepEqual([await countTurns([transactional]), await countTurns([bulk])], [1, 0])
  taken[1]?.end()
  assert.equal(await countTurns([bulk]), 1)
})

test('a transport that failed is tried again at once when it was saved', () => {
  const log = createLog('silent')
  const throttles = new TransportThrottles({ clock: clockAt(0), random: () => 0.5, log })
  const open = { transport: { load: () => idle }, transportId: 1, name: 'T' }
  throttles.of({ ...open, revision: 1 }).noteResult(throttled(1_800_000))
  assert.equal(throttles.of({ ...open, revision: 1 }).unavailableUntil, 1_800_000)
  assert.equal(throttles.of({ ...open, revision: 2 }).unavailableUntil, 0)
  const saved = throttles.of({ ...open, revision: 2 })
  assert.equal(throttles.of({ ...open, revision: 1 }), saved, 'a late result changes nothing')
  assert.equal(throttles.find(1), saved)
})
