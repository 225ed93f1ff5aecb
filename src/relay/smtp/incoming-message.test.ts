import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteBudget } from './incoming-message.ts'

test('ten unfinished messages of one owner leave half of the memory to the others', () => {
  const budget = createByteBudget(250)
  const taken = Array.from({ length: 10 }, () => budget.tryAcquire(25, 'one')).filter(Boolean)
  assert.equal(taken.length, 5)
  assert.equal(budget.tryAcquire(25, 'another'), true)
  assert.equal(budget.tryAcquire(25, 'a third'), true)
})

test('released bytes are available again, and a single owner gets half', () => {
  const budget = createByteBudget(100)
  assert.equal(budget.tryAcquire(51, 'one'), false)
  assert.equal(budget.tryAcquire(50, 'one'), true)
  assert.equal(budget.tryAcquire(1, 'one'), false)
  budget.release(50, 'one')
  assert.equal(budget.tryAcquire(50, 'another'), true)
})
