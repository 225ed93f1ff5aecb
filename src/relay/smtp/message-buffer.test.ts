import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataReader } from './data-reader.ts'
import { MessageBuffer } from './message-buffer.ts'

/** The memory that the chunks of a message keep from being freed. */
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
    'small and large pieces in turn',
    Array.from({ length: 2_000 }, (_, at) => Buffer.alloc(at % 2 === 0 ? 1 : 4_096, 'x')),
  ],
] as const) {
  test(`memory is counted as it is held, and holds little else than the message: ${what}`, () => {
    const buffer = new MessageBuffer()
    for (const piece of pieces) buffer.append(piece, 0, piece.length)
    const whole = Buffer.concat(pieces)
    assert.deepEqual(Buffer.concat(buffer.chunks), whole)
    assert.equal(buffer.heldBytes, heldBy(buffer.chunks))
    assert.ok(buffer.heldBytes <= whole.length * 2 + 4_096, `${buffer.heldBytes}`)
    assert.ok(buffer.chunks.length <= whole.length / 2_048 + 1, `${buffer.chunks.length} pieces`)
  })
}

test('dots at the beginning of many lines do not multiply the memory', () => {
  const reader = new DataReader()
  const lines = '..\r\n'.repeat(500) + `${'x'.repeat(1_000)}\r\n`.repeat(60)
  for (let count = 0; count < 20; count += 1) reader.push(Buffer.from(lines))
  assert.equal(reader.heldBytes, heldBy(reader.chunks))
  assert.ok(reader.heldBytes <= reader.size * 2, `${reader.heldBytes} of ${reader.size}`)
  reader.drop()
  assert.equal(reader.heldBytes, 0)
})

function largePart(size: number): Buffer {
  return Buffer.alloc(65_536, 'x').subarray(100, 100 + size)
}
