import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteBudget } from './byte-budget.ts'

test('ten unfinished messages of one log-in leave half of the memory to the others', () => {
  const budget = createByteBudget(250)
  const taken = Array.from({ length: 10 }, () => budget.take(25, 'one')).filter(Boolean)
  assert.equal(taken.length, 5)
  assert.equal(budget.take(25, 'another'), true)
  assert.equal(budget.take(25, 'a third'), true)
})

test('what is given back is there again, and an owner who is alone has half', () => {
  const budget = createByteBudget(100)
  assert.equal(budget.take(51, 'one'), false)
  assert.equal(budget.take(50, 'one'), true)
  assert.equal(budget.take(1, 'one'), false)
  budget.give(50, 'one')
  assert.equal(budget.take(50, 'another'), true)
})
