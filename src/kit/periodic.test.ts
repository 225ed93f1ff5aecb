import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLog } from './log.ts'
import { Periodic } from './periodic.ts'

const events = { failed: 'not pruned', recovered: 'pruned again' }

function open(task: (signal: AbortSignal) => Promise<number>, runsAtStart = false) {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) })
  return { lines, periodic: new Periodic({ task, intervalMs: 1_000, runsAtStart, log, events }) }
}

test('a task runs after each interval, and at its start where it says so', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const task = mock.fn(async () => 1)
  const { periodic } = open(task)
  periodic.start()
  assert.equal(task.mock.callCount(), 0)
  for (let tick = 0; tick < 3; tick += 1) {
    t.mock.timers.tick(1_000)
    await setImmediate()
  }
  assert.equal(task.mock.callCount(), 3)
  await periodic.stop()
  t.mock.timers.tick(1_000)
  assert.equal(task.mock.callCount(), 3)
  const { periodic: eager } = open(task, true)
  eager.start()
  assert.equal(task.mock.callCount(), 4)
  await eager.stop()
})

test('a task that takes longer than its interval is not started a second time', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const task = mock.fn(() => promise)
  const { periodic } = open(task)
  periodic.trigger()
  const runs = [periodic.run(), periodic.run()]
  resolve(7)
  assert.deepEqual(await Promise.all(runs), [7, 7])
  assert.equal(task.mock.callCount(), 1)
})

test('is idle after a run that began when it was asked, not after the run in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const task = mock.fn(() => promise)
  const { periodic } = open(task)
  periodic.trigger()
  const idle = periodic.idle()
  resolve(1)
  await idle
  assert.equal(task.mock.callCount(), 2)
})

test('a stop ends the run in progress early and waits for it, also when it fails', async () => {
  let hasEnded = false
  const { periodic } = open(async (signal) => {
    while (!signal.aborted) await setImmediate()
    await setImmediate()
    hasEnded = true
    throw new Error('lost')
  })
  periodic.trigger()
  await periodic.stop()
  assert.ok(hasEnded)
})
