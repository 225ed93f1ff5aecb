import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import { TransportThrottle, TransportThrottles } from './transport-throttle.ts'

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
  const what = {
    member: '',
    outcome: 'refused',
    stage: 'data',
    reply: null,
    fault,
    durationMs: 1,
  } as const
  const rest = { isRetrySafe: true, isPermanent: false, retryAfterMs, messageId: null }
  return { ...what, ...rest, recipients: [], attempts: [what] }
}

test('a server may ask for a back-off of up to an hour', () => {
  let now = 0
  const log = createLog('silent')
  const options = { clock: { now: () => now }, random: () => 0.5, windowMax: 60, log }
  const throttle = new TransportThrottle(options, { transportId: 1, transport: 'T' })
  const send = (retryAfterMs: number) => {
    throttle.reserve()
    throttle.startSending()
    throttle.finish()
    throttle.noteResult(throttled(retryAfterMs))
    return throttle.unavailableUntil - now
  }
  assert.equal(send(1_800_000), 1_800_000)
  assert.equal(throttle.capacity(idle), 0)
  now += 1_800_000
  assert.equal(throttle.capacity(idle), 1, 'it is tried with one message')
  assert.equal(send(Date.parse('9999-12-31')), 3_600_000)
})

test('a transport that failed is tried again at once when it was saved', () => {
  const log = createLog('silent')
  const throttles = new TransportThrottles({
    clock: { now: () => 0 },
    random: () => 0.5,
    windowMax: 60,
    log,
  })
  const open = { transport: { load: () => idle }, transportId: 1, name: 'T' }
  throttles.of({ ...open, revision: 1 }).noteResult(throttled(1_800_000))
  assert.equal(throttles.of({ ...open, revision: 1 }).unavailableUntil, 1_800_000)
  assert.equal(throttles.of({ ...open, revision: 2 }).unavailableUntil, 0)
  assert.equal(throttles.find(1)?.unavailableUntil, 0)
})
