import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DataReader } from './data-reader.ts'

/** Reads bytes that arrive in these pieces. */
function read(pieces: readonly string[]): { message: string; rest: string | undefined } {
  const reader = new DataReader()
  let rest: Buffer | undefined
  for (const piece of pieces) {
    rest = reader.push(Buffer.from(piece, 'latin1'))
    if (rest !== undefined) break
  }
  const message = Buffer.concat(reader.chunks).toString('latin1')
  return { message, rest: rest?.toString('latin1') }
}

test('a message ends with a line that is a single dot; the bytes after it remain', () => {
  assert.deepEqual(read(['a\r\n.\r\nQUIT\r\n']), { message: 'a\r\n', rest: 'QUIT\r\n' })
  assert.deepEqual(read(['.\r\nQUIT']), { message: '', rest: 'QUIT' })
  assert.deepEqual(read(['\r\n.\r\n']), { message: '\r\n', rest: '' })
})

test('dot-stuffing is removed, in the first line too', () => {
  assert.deepEqual(read(['..\r\n...x\r\n.y\r\n.\r\n']), { message: '.\r\n..x\r\ny\r\n', rest: '' })
})

test('only CRLF ends a line: no other sequence ends the data', () => {
  for (const hidden of ['\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n', '\r\n.\r', '\r.\r\n', '\n.\r']) {
    const text = `a${hidden}MAIL FROM:<evil@example.com>\r\n`
    const { message, rest } = read([text, '.\r\nNOOP\r\n'])
    assert.equal(rest, 'NOOP\r\n', JSON.stringify(hidden))
    assert.ok(message.includes('MAIL FROM:<evil@example.com>'), JSON.stringify(hidden))
  }
})

test('any message is read unchanged, in any pieces', () => {
  const text = fc
    .array(fc.constantFrom('\r', '\n', '.', '\r\n', '\r\n.', 'a', '\r\n.\r\n', '..', 'é'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, fc.array(fc.nat(20)), (body, after, cuts) => {
      const message = `${body}\r\n`
      // RFC 5321, section 4.5.2: only CRLF starts a new line.
      const stuffed = `\r\n${message}`.replaceAll('\r\n.', '\r\n..').slice(2)
      const sent = `${stuffed}.\r\n${after}`
      const pieces: string[] = []
      let at = 0
      for (const cut of cuts) {
        if (cut === 0) continue
        pieces.push(sent.slice(at, at + cut))
        at += cut
      }
      pieces.push(sent.slice(at))
      const read = new DataReader()
      let rest: Buffer | undefined
      let used = 0
      for (const piece of pieces.filter((each) => each !== '')) {
        used += piece.length
        rest = read.push(Buffer.from(piece, 'latin1'))
        if (rest !== undefined) break
      }
      assert.equal(Buffer.concat(read.chunks).toString('latin1'), message)
      assert.equal(`${rest?.toString('latin1')}${sent.slice(used)}`, after)
      assert.equal(read.size, message.length)
    }),
    { numRuns: 2_000 },
  )
})

test('a message of millions of small pieces is kept in few chunks', () => {
  const reader = new DataReader()
  const lines = Buffer.from('..\r\n'.repeat(16_384))
  for (let count = 0; count < 16; count += 1) reader.push(Buffer.from(lines))
  for (let count = 0; count < 10_000; count += 1) reader.push(Buffer.from('x'))
  reader.push(Buffer.from('\r\n.\r\n'))
  assert.ok(reader.chunks.length < 2_000, `${reader.chunks.length} pieces`)
  const message = Buffer.concat(reader.chunks).toString()
  assert.equal(message, `${'.\r\n'.repeat(262_144)}${'x'.repeat(10_000)}\r\n`)
})

/** The memory that the chunks of a message keep alive. */
function heldBy(chunks: readonly Buffer[]): number {
  const buffers = new Set(chunks.map(({ buffer }) => buffer))
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

test('dot-stuffing in many lines does not multiply the memory', () => {
  const reader = new DataReader()
  const lines = '..\r\n'.repeat(500) + `${'x'.repeat(1_000)}\r\n`.repeat(60)
  for (let count = 0; count < 20; count += 1) reader.push(Buffer.from(lines))
  assert.equal(reader.heldBytes, heldBy(reader.chunks))
  assert.ok(reader.heldBytes <= reader.size * 2, `${reader.heldBytes} of ${reader.size}`)
  reader.drop()
  assert.equal(reader.heldBytes, 0)
})
