import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOffMs } from './back-off.ts'

test('a wait doubles with each failure, up to the longest', () => {
  const waits = [0, 1, 2, 3, 4, 1_000_000].map((failures) =>
    backOffMs({ firstMs: 100, longestMs: 1_000 }, failures, 0.5),
  )
  assert.deepEqual(waits, [100, 200, 400, 800, 1_000, 1_000])
})

test('a wait is shorter or longer by its jitter, by a fifth unless the schedule says otherwise', () => {
  const schedule = { firstMs: 100, longestMs: 1_000 }
  const range = (jitter?: number) =>
    [0, 1].map((random) =>
      backOffMs(jitter === undefined ? schedule : { ...schedule, jitter }, 0, random),
    )
  assert.deepEqual(range(), [80, 120])
  assert.deepEqual(range(1), [0, 200])
  assert.deepEqual(range(0), [100, 100])
})
