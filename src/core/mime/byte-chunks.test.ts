import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createByteChunks } from './byte-chunks.ts'

const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }),
  // So large that it is not put together with others.
  fc.nat(3).map((length) => 'a'.repeat(4_096 + length)),
)
const needle = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
const position = fc.nat(20_000)

test('several buffers read as if they were one', () => {
  const property = fc.property(
    fc.array(piece, { maxLength: 8 }),
    needle,
    fc.tuple(position, position),
    (texts, wanted, positions) => {
      const whole = Buffer.from(texts.join(''))
      const bytes = createByteChunks(texts.map((text) => Buffer.from(text)))
      const [first, second] = positions.map((each) => each % (whole.length + 1))
      const [from, to] = [Math.min(first ?? 0, second ?? 0), Math.max(first ?? 0, second ?? 0)]
      const part = whole.subarray(from, to)
      const found = part.indexOf(wanted)
      assert.equal(bytes.sizeBytes, whole.length)
      assert.equal(bytes.indexOf(Buffer.from(wanted), from, to), found === -1 ? -1 : from + found)
      assert.deepEqual(bytes.slice(from, to), part)
      assert.deepEqual(Buffer.concat(bytes.pieces(from, to)), part)
    },
  )
  fc.assert(property, { numRuns: 2_000 })
})

test('large pieces are not copied', () => {
  const chunks = [Buffer.alloc(5_000, 'a'), Buffer.alloc(5_000, 'b')]
  const pieces = createByteChunks(chunks).pieces(10, 9_990)
  assert.deepEqual(
    pieces.map(({ buffer }) => buffer),
    chunks.map(({ buffer }) => buffer),
  )
})
