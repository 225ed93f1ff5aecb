import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Budget } from '../runtime/budget.ts'
import { defaultLimits } from '../runtime/limits.ts'
import { createTextFinder, splitText } from './find-text.ts'

const meter = () => new Budget(defaultLimits)
/** Few letters, so that needles occur, overlap and almost occur. */
const text = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b'), { maxLength }).map((letters) => letters.join(''))

test('a needle of any length is found where JavaScript finds it', () => {
  const inputs = fc.tuple(text(80), text(24), fc.nat(80))
  fc.assert(
    fc.property(inputs, ([haystack, needle, from]) => {
      fc.pre(needle !== '')
      const finder = createTextFinder(haystack, needle, meter())
      assert.equal(finder.next(from), haystack.indexOf(needle, from))
      assert.equal(finder.last(), haystack.lastIndexOf(needle))
      assert.deepEqual(splitText(haystack, needle, meter()), haystack.split(needle))
    }),
    { numRuns: 2_000 },
  )
})
