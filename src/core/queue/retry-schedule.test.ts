import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../../libraries/mailer/index.ts'
import { retryAt, untriedUntil } from './retry-schedule.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const first = { now: 0, attempts: 1, retryAfterMs: null, random: 0.5 }

test('the back-off doubles up to an hour, with a jitter of a fifth', () => {
  const waits = [0, 1, 2, 7, 8, 1_000].map((attempts) => retryAt({ ...first, attempts }))
  assert.deepEqual(waits, [0.5 * minuteMs, minuteMs, 2 * minuteMs, hourMs, hourMs, hourMs])
  assert.equal(retryAt({ ...first, random: 0 }), 0.8 * minuteMs)
  assert.ok(retryAt({ ...first, random: 0.999 }) < 1.2 * minuteMs)
})

test('a retry waits at least as long as the server asked for, and never less than the back-off', () => {
  assert.equal(retryAt({ ...first, retryAfterMs: 2 * hourMs }), 2 * hourMs)
  assert.equal(retryAt({ ...first, retryAfterMs: 1 }), minuteMs)
})

test('a message that its busy mailbox did not take is due after the time that this asks for, with jitter', () => {
  const busy: Fault = {
    code: 'throttled',
    scope: 'message',
    stage: 'connect',
    message: 'The mailbox shop@example.com sends 30 messages a minute, and 10 wait already.',
    hint: '',
    reply: null,
    isPermanent: false,
    retryAfterMs: 20_000,
  }
  assert.equal(untriedUntil(busy, { now: 1_000, random: 0 }), 21_000)
  assert.equal(untriedUntil(busy, { now: 1_000, random: 0.5 }), 23_000)
  const reply = { protocol: 'smtp', code: 450, enhancedCode: null, text: 'Slow down' } as const
  for (const tried of [
    null,
    { ...busy, reply },
    { ...busy, scope: 'member' as const },
    { ...busy, code: 'deferred' as const },
    { ...busy, retryAfterMs: null },
  ])
    assert.equal(untriedUntil(tried, { now: 1_000, random: 0 }), undefined)
})
