import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Gate } from './gate.ts'
import { createTokenBucket } from './token-bucket.ts'

test('in no time span do more pass than the rate and a burst', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.double({ min: 0.5, max: 500, noNaN: true }), gaps, (perSecond, waits) => {
      let now = 0
      const bucket = createTokenBucket(perSecond, { now: () => now })
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

test('whoever waits as long as he is told gets a token', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 500, noNaN: true }), (perSecond) => {
      let now = 5000
      const bucket = createTokenBucket(perSecond, { now: () => now })
      while (bucket.take() === 0);
      now += bucket.take()
      assert.equal(bucket.take(), 0)
    }),
  )
})

test('a clock that is set back does not stop the mail', () => {
  let now = 1_000_000
  const bucket = createTokenBucket(10, { now: () => now })
  while (bucket.take() === 0);
  now = 0
  assert.ok(bucket.take() <= 100)
  now += 100
  assert.equal(bucket.take(), 0)
})

const clock = { now: () => Date.now() }

test('so many are inside at once, and the others follow in order', async () => {
  const gate = new Gate({ placesMax: 2, maxPerSecond: null, clock })
  const order: number[] = []
  const places = await Promise.all([gate.enter(), gate.enter()])
  const late = [1, 2, 3].map(async (name) => {
    const place = await gate.enter()
    order.push(name)
    return place
  })
  assert.deepEqual(gate.load(), { sending: 2, waiting: 3 })
  places[0]?.leave()
  places[1]?.vacate()
  const [first, second] = await Promise.all(late.slice(0, 2))
  assert.deepEqual(order, [1, 2])
  // Who vacated his place is still at work.
  assert.deepEqual(gate.load(), { sending: 3, waiting: 1 })
  places[1]?.leave()
  first?.leave()
  await late[2]
  second?.leave()
  assert.deepEqual(gate.load(), { sending: 1, waiting: 0 })
})

test('who gives up waiting leaves the queue', async () => {
  const gate = new Gate({ placesMax: 1, maxPerSecond: null, clock })
  const place = await gate.enter()
  const controller = new AbortController()
  const waiting = gate.enter(controller.signal)
  controller.abort()
  await assert.rejects(waiting, /cancelled/)
  assert.deepEqual(gate.load(), { sending: 1, waiting: 0 })
  place.leave()
  await assert.rejects(gate.enter(controller.signal), /cancelled/)
})

test('a closed gate refuses whoever waits or comes, and waits for whoever is inside', async () => {
  const gate = new Gate({ placesMax: 1, maxPerSecond: null, clock })
  const place = await gate.enter()
  const waiting = gate.enter()
  let isClosed = false
  const closing = gate.close().then(() => {
    isClosed = true
  })
  await assert.rejects(waiting, /closed/)
  await assert.rejects(gate.enter(), /closed/)
  assert.equal(isClosed, false)
  place.leave()
  await closing
})

test('whoever closes waits for those inside, also when another closes too', async () => {
  const gate = new Gate({ placesMax: 1, maxPerSecond: null, clock })
  const place = await gate.enter()
  const closings = [gate.close(), gate.close()]
  place.leave()
  await Promise.all(closings)
})
