import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTurns } from './turns.ts'

test('turns come one at a time, in the order of asking', async () => {
  const turns = createTurns({ count: 1 })
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (number) => {
      const endTurn = await turns.take()
      order.push(number)
      await Promise.resolve()
      order.push(number)
      endTurn()
    }),
  )
  assert.deepEqual(order, [1, 1, 2, 2, 3, 3])
})

test('as many have their turn at a time as there is room for', async () => {
  const turns = createTurns({ count: 3 })
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const endTurn = await turns.take()
      inside += 1
      most = Math.max(most, inside)
      await setImmediate()
      inside -= 1
      endTurn()
    }),
  )
  assert.equal(most, 3)
  for (let count = 0; count < 3; count += 1) assert.notEqual(turns.takeAtOnce(), undefined)
  assert.equal(turns.takeAtOnce(), undefined)
})

test('who waits too long is told, and the others still have their turn', async () => {
  const turns = createTurns({ count: 1, timeoutMs: 20 })
  const endTurn = await turns.take()
  await assert.rejects(turns.take(), { kind: 'upstream', message: /too many changes are waiting/ })
  const next = turns.take()
  endTurn()
  const endNext = await next
  endNext()
  await turns.take()
})
