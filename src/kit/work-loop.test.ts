import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLog } from './log.ts'
import { WorkLoop } from './work-loop.ts'

const events = { failed: 'interrupted', recovered: 'resumed' }

function open(work: () => Promise<number>, running = (): Iterable<Promise<unknown>> => []) {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) })
  return { lines, loop: new WorkLoop({ work, running, idleMs: 1, log, events }) }
}

test('work is repeated while more is due, then waits until it is woken', async () => {
  let runs = 0
  const woken = Promise.withResolvers<void>()
  const { loop } = open(async () => {
    runs += 1
    if (runs === 4) woken.resolve()
    return runs < 3 ? 0 : 3_600_000
  })
  loop.start()
  while (runs < 3) await setImmediate()
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  assert.equal(runs, 3)
  loop.wake()
  await woken.promise
  await loop.stop()
  assert.equal(runs, 4)
})

test('work that fails is repeated, and logged once, and so is its recovery', async () => {
  let runs = 0
  const recovered = Promise.withResolvers<void>()
  const { loop, lines } = open(async () => {
    runs += 1
    if (runs < 3) throw new Error('lost')
    if (runs === 4) recovered.resolve()
    return runs < 4 ? 0 : 3_600_000
  })
  loop.start()
  await recovered.promise
  await loop.stop()
  assert.deepEqual(lines, ['interrupted', 'resumed'])
})

test('what ends while it becomes idle has been work', async () => {
  const running = new Set<Promise<void>>()
  const work = async () => {
    running.clear()
    return 3_600_000
  }
  const { loop } = open(work, () => running)
  loop.start()
  running.add(Promise.resolve())
  assert.equal(await loop.idle(), true)
  await loop.stop()
})

test('a stop ends the wait, and resolves when the work in progress has ended', async () => {
  const started = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<number>()
  let hasStopped = false
  const { loop } = open(() => {
    started.resolve()
    return ending.promise
  })
  loop.start()
  await started.promise
  const stopped = loop.stop().then(() => {
    hasStopped = true
  })
  await setImmediate()
  assert.ok(!hasStopped)
  ending.resolve(3_600_000)
  await stopped
  assert.ok(loop.isStopped)
})
