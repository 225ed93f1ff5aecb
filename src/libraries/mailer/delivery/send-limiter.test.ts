import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clockAt } from '../../../../test/movable-clock.ts'
import { SendLimiter, TokenBucket } from './send-limiter.ts'

let now = 0
const clock = clockAt(() => now)

test('no time span has more tokens than the rate and a burst', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.double({ min: 0.5, max: 500, noNaN: true }), gaps, (perSecond, waits) => {
      const bucket = new TokenBucket(perSecond, clock)
      const passed: number[] = []
      for (const wait of waits) {
        if (bucket.take() === 0) passed.push(now)
        now += wait
      }
      const burst = Math.max(1, perSecond * 0.05)
      passed.forEach((from, index) => {
        passed.slice(index).forEach((until, count) => {
          assert.ok(count + 1 <= (perSecond * (until - from)) / 1000 + burst + 1e-6)
        })
      })
    }),
  )
})

test('after the returned wait there is a token', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 500, noNaN: true }), (perSecond) => {
      const bucket = new TokenBucket(perSecond, clock)
      while (bucket.take() === 0);
      now += bucket.take()
      assert.equal(bucket.take(), 0)
    }),
  )
})

test('the concurrency limit holds, and waiting messages follow in order', async () => {
  const limiter = new SendLimiter({ concurrencyMax: 2, maxPerSecond: null, clock })
  const order: number[] = []
  const permits = await Promise.all([limiter.acquire(), limiter.acquire()])
  const late = [1, 2, 3].map(async (name) => {
    const permit = await limiter.acquire()
    order.push(name)
    return permit
  })
  assert.deepEqual(limiter.load(), { sending: 2, waiting: 3 })
  permits[0]?.release()
  permits[1]?.releaseSlot()
  const [first, second] = await Promise.all(late.slice(0, 2))
  assert.deepEqual(order, [1, 2])
  // The message that released its slot is still being sent.
  assert.deepEqual(limiter.load(), { sending: 3, waiting: 1 })
  permits[1]?.release()
  first?.release()
  await late[2]
  second?.release()
  assert.deepEqual(limiter.load(), { sending: 1, waiting: 0 })
})

test('a cancelled message leaves the queue', async () => {
  const limiter = new SendLimiter({ concurrencyMax: 1, maxPerSecond: null, clock })
  const permit = await limiter.acquire()
  const controller = new AbortController()
  const waiting = limiter.acquire(controller.signal)
  controller.abort()
  await assert.rejects(waiting, /cancelled/)
  assert.deepEqual(limiter.load(), { sending: 1, waiting: 0 })
  permit.release()
  await assert.rejects(limiter.acquire(controller.signal), /cancelled/)
})

test('close() refuses waiting and new messages, and waits for those that are being sent', async () => {
  const limiter = new SendLimiter({ concurrencyMax: 1, maxPerSecond: null, clock })
  const permit = await limiter.acquire()
  const waiting = limiter.acquire()
  let isClosed = false
  const closing = Promise.all([limiter.close(), limiter.close()]).then(() => {
    isClosed = true
  })
  await assert.rejects(waiting, /closed/)
  await assert.rejects(limiter.acquire(), /closed/)
  assert.equal(isClosed, false)
  permit.release()
  await closing
})
