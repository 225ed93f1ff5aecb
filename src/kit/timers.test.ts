import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Alarm, every, sleep } from './timers.ts'

test('an alarm does its work once, after the time that was set last', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const work = mock.fn()
  const alarm = new Alarm(work).set(100)
  t.mock.timers.tick(99)
  alarm.set(200)
  t.mock.timers.tick(199)
  assert.deepEqual([alarm.isSet, work.mock.callCount()], [true, 0])
  t.mock.timers.tick(1)
  assert.deepEqual([alarm.isSet, work.mock.callCount()], [false, 1])
  alarm.set(100).cancel()
  t.mock.timers.tick(1_000)
  assert.equal(work.mock.callCount(), 1)
})

test('work at an interval is repeated until it is ended', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const work = mock.fn()
  const end = every(100, work)
  t.mock.timers.tick(250)
  end()
  t.mock.timers.tick(1_000)
  assert.equal(work.mock.callCount(), 2)
})

test('a sleep ends early when its signal is aborted', async () => {
  await sleep(3_600_000, { signal: AbortSignal.abort() })
})
