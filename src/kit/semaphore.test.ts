import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Semaphore } from './semaphore.ts'

test('as many callers work at a time as there are permits', async () => {
  const semaphore = new Semaphore({ permits: 3 })
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 20 }, () =>
      semaphore.run(async () => {
        inside += 1
        most = Math.max(most, inside)
        await setImmediate()
        inside -= 1
      }),
    ),
  )
  assert.equal(most, 3)
})

test('work that throws releases its permit', async () => {
  const semaphore = new Semaphore({ permits: 1 })
  const failing = semaphore.run(() => Promise.reject(new Error('failed')))
  await assert.rejects(failing, /failed/)
  assert.equal(await semaphore.run(async () => 'next'), 'next')
})

test('a caller that waits too long is refused, and the others still get their permits', async () => {
  const refusal = () => new Error('too late')
  const semaphore = new Semaphore({ permits: 1, timeoutMs: 20, refusal })
  const release = await semaphore.acquire()
  await assert.rejects(semaphore.acquire(), /too late/)
  const next = semaphore.acquire()
  release()
  const releaseNext = await next
  releaseNext()
  await semaphore.acquire()
})

test('a caller is refused immediately when the queue is full', async () => {
  const refusal = () => new Error('queue full')
  const semaphore = new Semaphore({ permits: 1, waitingMax: 1, refusal })
  const release = await semaphore.acquire()
  const second = semaphore.acquire()
  await assert.rejects(semaphore.acquire(), /queue full/)
  release()
  const releaseSecond = await second
  releaseSecond()
  await semaphore.acquire()
})
