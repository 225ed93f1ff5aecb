import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PieceBuffer } from './piece-buffer.ts'

/** The memory that chunks keep alive. */
function heldBy(chunks: readonly Buffer[]): number {
  const buffers = new Set(chunks.map(({ buffer }) => buffer))
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

for (const [what, pieces] of [
  ['a byte at a time', Array.from({ length: 20_000 }, () => Buffer.alloc(1, 'x'))],
  ['parts of the shared pool', Array.from({ length: 500 }, () => Buffer.from('x'.repeat(300)))],
  ['small parts of large buffers', Array.from({ length: 50 }, () => largePart(5_000))],
  ['large parts of large buffers', Array.from({ length: 50 }, () => largePart(50_000))],
  ['one small piece', [Buffer.alloc(200, 'x')]],
  [
    'small and large pieces alternately',
    Array.from({ length: 2_000 }, (_, at) => Buffer.alloc(at % 2 === 0 ? 1 : 4_096, 'x')),
  ],
] as const) {
  test(`the counted memory is what is kept alive, and little more than the message: ${what}`, () => {
    const buffer = new PieceBuffer()
    for (const piece of pieces) buffer.append(piece, 0, piece.length)
    const whole = Buffer.concat(pieces)
    assert.deepEqual(Buffer.concat(buffer.chunks), whole)
    assert.equal(buffer.heldBytes, heldBy(buffer.chunks))
    assert.ok(buffer.heldBytes <= whole.length * 2 + 4_096, `${buffer.heldBytes}`)
    assert.ok(buffer.chunks.length <= whole.length / 2_048 + 1, `${buffer.chunks.length} pieces`)
  })
}

function largePart(size: number): Buffer {
  return Buffer.alloc(65_536, 'x').subarray(100, 100 + size)
}
