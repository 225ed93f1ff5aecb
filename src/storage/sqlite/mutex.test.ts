import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMutex } from './mutex.ts'

test('turns come one at a time, in the order of asking', async () => {
  const mutex = createMutex(10_000, () => new Error('too late'))
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (number) => {
      const endTurn = await mutex.take()
      order.push(number)
      await Promise.resolve()
      order.push(number)
      endTurn()
    }),
  )
  assert.deepEqual(order, [1, 1, 2, 2, 3, 3])
})

test('who waits too long is told, and the others still have their turn', async () => {
  const mutex = createMutex(20, () => new Error('too late'))
  const endTurn = await mutex.take()
  await assert.rejects(mutex.take(), /too late/)
  const next = mutex.take()
  endTurn()
  const endNext = await next
  endNext()
  await mutex.take()
})
