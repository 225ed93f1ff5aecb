import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeData } from './send-data.ts'

/** What a strict server makes of DATA: up to the first CRLF.CRLF, with doubled dots undone. */
function decode(data: Buffer): { message: string; rest: string } {
  const text = `\r\n${data.toString('latin1')}`
  const end = text.indexOf('\r\n.\r\n')
  return {
    message: `${text.slice(0, end)}\r\n`.slice(2).replace(/(^|\r\n)\./g, '$1'),
    rest: text.slice(end + 5),
  }
}

const pieces = fc.constantFrom(
  '\r\n',
  '\r',
  '\n',
  '.',
  '..',
  'a',
  'MAIL FROM:<x@y>',
  '\0',
  'é',
  ' ',
)

test('a server reads exactly the message, with every line end as CRLF, and nothing after it', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const raw = Buffer.from(parts.join(''))
      const { message, rest } = decode(encodeData('', raw))
      const wanted = raw.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n')
      const isEnded = wanted === '' || wanted.endsWith('\r\n')
      assert.equal(message, isEnded ? wanted : `${wanted}\r\n`)
      assert.equal(rest, '')
    }),
    { numRuns: 5000 },
  )
})

test('no lenient server finds an end of data inside a message', () => {
  for (const smuggled of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\r.\r\n', '\n.\r']) {
    const data = encodeData('', Buffer.from(`a${smuggled}MAIL FROM:<evil@example.com>\r\n`))
    const body = data.subarray(0, -3).toString('latin1')
    assert.doesNotMatch(body, /(^|[\r\n])\.[\r\n]/, JSON.stringify(smuggled))
  }
})

test('a valid message is sent byte for byte, after the header lines of the provider', () => {
  const raw = Buffer.from('Subject: ä\r\n\r\nBody\r\n', 'utf8')
  assert.deepEqual(encodeData('', raw), Buffer.concat([raw, Buffer.from('.\r\n')]))
  assert.deepEqual(
    encodeData('X-PM-KeepID: true\r\n', raw),
    Buffer.concat([Buffer.from('X-PM-KeepID: true\r\n'), raw, Buffer.from('.\r\n')]),
  )
  assert.equal(encodeData('', Buffer.from('no end')).toString(), 'no end\r\n.\r\n')
})
