import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttemptAt } from './attempt.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const first = { attempts: 1, since: 0, now: 0, retryAfterMs: null, random: 0.5 }

test('the back-off doubles up to an hour, with a jitter of half', () => {
  const waits = [0, 1, 2, 7, 8, 1_000].map((attempts) => nextAttemptAt({ ...first, attempts }))
  assert.deepEqual(waits, [0.5 * minuteMs, minuteMs, 2 * minuteMs, hourMs, hourMs, hourMs])
  assert.equal(nextAttemptAt({ ...first, random: 0 }), 0.5 * minuteMs)
  assert.ok((nextAttemptAt({ ...first, random: 0.999 }) ?? 0) < 1.5 * minuteMs)
})

test('a retry waits at least as long as the server asked for, and never less than the back-off', () => {
  assert.equal(nextAttemptAt({ ...first, retryAfterMs: 2 * hourMs }), 2 * hourMs)
  assert.equal(nextAttemptAt({ ...first, retryAfterMs: 1 }), minuteMs)
})

test('there is no retry more than 72 hours after the first try', () => {
  const late = { ...first, attempts: 80, now: 71 * hourMs }
  assert.equal(nextAttemptAt(late), 72 * hourMs)
  assert.equal(nextAttemptAt({ ...late, now: 71 * hourMs + 1 }), undefined)
  assert.equal(nextAttemptAt({ ...late, retryAfterMs: Number.MAX_SAFE_INTEGER }), undefined)
})
