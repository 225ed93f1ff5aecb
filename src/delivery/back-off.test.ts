import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAt } from './back-off.ts'

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
