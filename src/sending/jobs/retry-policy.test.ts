import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttemptAt } from './retry-policy.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const first = { attempts: 1, since: 0, now: 0, retryAfterMs: null, random: 0.5 }

test('the waits double up to an hour, each with half of it more or less', () => {
  const waits = [0, 1, 2, 7, 8, 1_000].map((attempts) => nextAttemptAt({ ...first, attempts }))
  assert.deepEqual(waits, [0.5 * minuteMs, minuteMs, 2 * minuteMs, hourMs, hourMs, hourMs])
  assert.equal(nextAttemptAt({ ...first, random: 0 }), 0.5 * minuteMs)
  assert.ok((nextAttemptAt({ ...first, random: 0.999 }) ?? 0) < 1.5 * minuteMs)
})

test('nobody is tried before the time that the server named, nor sooner because of it', () => {
  assert.equal(nextAttemptAt({ ...first, retryAfterMs: 2 * hourMs }), 2 * hourMs)
  assert.equal(nextAttemptAt({ ...first, retryAfterMs: 1 }), minuteMs)
})

test('nobody is tried any more than 72 hours after the first time', () => {
  const late = { ...first, attempts: 80, now: 71 * hourMs }
  assert.equal(nextAttemptAt(late), 72 * hourMs)
  assert.equal(nextAttemptAt({ ...late, now: 71 * hourMs + 1 }), undefined)
  assert.equal(nextAttemptAt({ ...late, retryAfterMs: Number.MAX_SAFE_INTEGER }), undefined)
})
