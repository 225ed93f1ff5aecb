import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TurnTime } from './turn-time.ts'

test('the time of a turn is used up after 20 milliseconds of work, and the next turn has its own', async () => {
  const time = new TurnTime()
  assert.equal(time.isLeft(), true)
  for (const end = performance.now() + 25; performance.now() < end; );
  assert.equal(time.isLeft(), false)
  await setImmediate()
  await setImmediate()
  assert.equal(time.isLeft(), true)
})
