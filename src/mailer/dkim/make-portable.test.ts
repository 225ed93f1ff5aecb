import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makePortable } from './make-portable.ts'

function portable(text: string): string {
  return makePortable(Buffer.from(text, 'latin1')).toString('latin1')
}

test('a message that servers pass on unchanged is the same bytes', () => {
  for (const body of [
    '',
    'Hello\r\n',
    `${'y'.repeat(998)}\r\n`,
    'no line end',
    '8bit and binary\r\n',
  ]) {
    const raw = Buffer.from(`From: a@example.com\r\n\r\n${body}`)
    assert.deepEqual(makePortable(raw), raw)
  }
})

const html = 'Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGr\xfc\xdfe'

for (const [what, part] of [
  [
    'a signed message',
    'Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n\xfc\r\n--s--',
  ],
  [
    'an encrypted message',
    'Content-Type: multipart/encrypted; boundary=s\r\n\r\n--s\r\n\r\n\xfc\r\n--s--',
  ],
  ['a PKCS #7 message', 'Content-Type: application/pkcs7-mime\r\n\r\n\xfc'],
  ['an attached message', `Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\n\xfc`],
  ['a part with two types', 'Content-Type: text/html\r\nContent-Type: text/plain\r\n\r\n\xfc'],
  [
    'a part with two encodings',
    'Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xfc',
  ],
  ['a part with a line that is no field', 'Content-Type: text/html\r\nno field\r\n\r\n\xfc'],
  ['a part with an unknown encoding', 'Content-Transfer-Encoding: x-uuencode\r\n\r\n\xfc'],
  ['broken base64', 'Content-Transfer-Encoding: base64\r\n\r\n\xfc'],
  ['a multipart without a boundary', 'Content-Type: multipart/mixed\r\n\r\n--\r\n\r\n\xfc'],
  [
    'a multipart with the boundary of the one around it',
    'Content-Type: multipart/mixed; boundary=outer\r\n\r\n\xfc',
  ],
  ['a multipart without parts', 'Content-Type: multipart/mixed; boundary=inner\r\n\r\n\xfc'],
  [
    'an encoded multipart',
    'Content-Type: multipart/mixed; boundary=i\r\nContent-Transfer-Encoding: base64\r\n\r\n--i\r\n\r\n\xfc\r\n--i--',
  ],
] as const)
  test(`${what} stays as it is, and the part beside it is encoded`, () => {
    const wrap = (first: string, second: string) =>
      `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=outer\r\nContent-Transfer-Encoding: 8bit\r\n\r\n--outer\r\n${first}\r\n--outer\r\n${second}\r\n--outer--\r\n`
    const encoded = html.replace('8bit', 'quoted-printable').replace('\xfc\xdf', '=FC=DF')
    assert.equal(portable(wrap(part, html)), wrap(part, encoded))
  })

test('the labels of a part and of the multiparts around it become right', () => {
  const wrap = (outer: string, innerField: string, part: string) =>
    `MIME-Version: 1.0\r\nContent-Transfer-Encoding: ${outer}\r\nContent-Type: multipart/mixed; boundary="a"\r\n\r\n--a\r\nContent-Type: multipart/related; boundary="a b"\r\n${innerField}\r\n\r\n--a b\r\n${part}\r\n--a b--\r\n--a--\r\n`
  assert.equal(
    portable(wrap('binary', 'content-transfer-encoding:\r\n 8bit', html)),
    wrap(
      '7bit',
      'Content-Transfer-Encoding: 7bit',
      'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe',
    ),
  )
})

test('a part that is labelled 8bit and has 7 bits gets another label', () => {
  const message = (encoding: string) =>
    `MIME-Version: 1.0\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\nHello\r\n`
  assert.equal(portable(message('8bit')), message('7bit'))
  assert.equal(portable(message('"8BIT" (comment)')), message('7bit'))
})

test('a boundary that another one begins with divides its own parts only', () => {
  const part = (text: string) => `Content-Type: text/plain\r\n\r\n${text}\r\n`
  const text = `Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/mixed; boundary=ab\r\n\r\n--ab\r\n${part('\xfc')}--abc\r\n--ab--\r\n--a \t\r\n${part('\xe4')}--a--\r\n`
  const result = portable(text)
  assert.match(result, /=FC\r\n--abc\r\n--ab--/)
  assert.match(result, /--a \t\r\n.*quoted-printable\r\n\r\n=E4\r\n--a--/s)
})

test('a long header line is folded at its blanks, or not at all', () => {
  const words = `X-Words: ${'word '.repeat(500)}end`
  const result = portable(`From: a@example.com\r\n${words}\r\n\r\nHello\r\n`)
  assert.equal(result.replace(/\r\n(?= )/g, ''), `From: a@example.com\r\n${words}\r\n\r\nHello\r\n`)
  assert.ok(result.split('\r\n').every((line) => line.length <= 998))
  const long = `From: a@example.com\r\nX-Long: ${'x'.repeat(3000)}\r\n\r\nHello\r\n`
  assert.equal(portable(long), long)
})

/** Pieces of which hostile messages are made. */
const pieces = fc.constantFrom(
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '--a',
  '--ab',
  '--',
  '\xfc',
  '\0',
  '=',
  '=\r\n',
  'x'.repeat(1_100),
  'Content-Type: multipart/mixed; boundary=a\r\n',
  'Content-Type: multipart/mixed; boundary=ab\r\n',
  'Content-Type: text/plain\r\n',
  'Content-Transfer-Encoding: 8bit\r\n',
  ': \r\n',
  'no field\r\n',
  'Content-Transfer-Encoding: quoted-printable\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  '--a\r\n',
  '--a--\r\n',
  '--ab\r\n',
  '--ab--\r\n',
  '\r\n\r\n',
  'QUJD',
)

test('a random message becomes portable without an error, and stays the same the second time', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (text) => {
      const once = portable(text.join(''))
      assert.equal(portable(once), once)
    }),
    { numRuns: 2_000 },
  )
})

/** Hostile messages of about a megabyte. */
const hostile: Readonly<Record<string, (count: number) => string>> = {
  'boundary lines': (count) =>
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\n\xfc\r\n'.repeat(count)}`,
  'lines that look like boundaries': (count) =>
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a-\r\n'.repeat(count)}\xfc`,
  nesting: (count) =>
    `${Array.from(
      { length: count },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
    ).join('')}\xfc`,
  'header fields': (count) => `${'Content-Type: text/plain\r\n'.repeat(count)}\r\n\xfc`,
  'folded lines': (count) => `Content-Type: text/plain;\r\n${' a=b;\r\n'.repeat(count)}\r\n\xfc`,
  'a header line of blanks': (count) => `Subject: ${' '.repeat(count * 5)}\r\n\r\n\xfc`,
  'a header line of words': (count) => `Subject: ${'a '.repeat(count * 5)}\r\n\r\n\xfc`,
  'line ends': (count) => `a: b\r\n\r\n${'\n\r'.repeat(count * 5)}\xfc`,
  'blanks in base64': (count) =>
    `Content-Transfer-Encoding: base64\r\n\r\n${'A '.repeat(count * 5)}`,
}

for (const [what, build] of Object.entries(hostile))
  test(`the time for ${what} grows with their number`, () => {
    const cpuOf = (count: number) => {
      const text = Buffer.from(build(count), 'latin1')
      const runs = Array.from({ length: 3 }, () => {
        const start = process.cpuUsage()
        makePortable(text)
        const { user, system } = process.cpuUsage(start)
        return user + system
      })
      return Math.min(...runs)
    }
    cpuOf(5_000)
    // Eight times as many take eight times as long, or 64 times if the time is quadratic.
    const ratio = cpuOf(80_000) / Math.max(cpuOf(10_000), 500)
    assert.ok(ratio < 32, `${ratio.toFixed(1)} times as long`)
  })
