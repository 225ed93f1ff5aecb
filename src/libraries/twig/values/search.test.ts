import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Budget, defaultLimits } from '../budget.ts'
import { findLastText, findText, splitText } from './search.ts'

const budget = () => new Budget({ ...defaultLimits, timeMs: 60_000 })
const few = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength })

test('finds texts of any length at the position that indexOf returns', () => {
  fc.assert(
    fc.property(few(60), few(300), few(40), (before, wanted, behind) => {
      for (const text of [before + wanted + behind + wanted, before + behind]) {
        assert.equal(findText(text, wanted, 0, budget()), text.indexOf(wanted))
        assert.equal(findText(text, wanted, 7, budget()), text.indexOf(wanted, 7))
        assert.equal(findLastText(text, wanted, budget()), text.lastIndexOf(wanted))
        assert.deepEqual(splitText(text, wanted, { budget: budget() }), text.split(wanted))
      }
    }),
  )
})

test('the cost of a search is linear for any text', () => {
  const half = 'a'.repeat(20_000)
  const wanted = `${half}b${half}`
  // One step per eight characters. A naive search needs 20,000 steps for each.
  const budget = new Budget({ ...defaultLimits, timeMs: 60_000, steps: 400_000 })
  assert.equal(findText('a'.repeat(3_000_000), wanted, 0, budget), -1)
  assert.throws(() => findText('a'.repeat(3_000_000), wanted, 0, budget), /took more than/)
})
