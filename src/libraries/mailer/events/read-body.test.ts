import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, timeOfDate, timeOfSeconds } from './event-fields.ts'
import { WebhookError } from './provider-webhooks.ts'
import { parseJson, readForm } from './read-body.ts'

const json = (text: string) => parseJson(Buffer.from(text))

test('integers that a double cannot hold keep their digits', () => {
  assert.deepEqual(json('{"id":1152921504607846977,"small":42,"list":[-90071992547409930]}'), {
    id: '1152921504607846977',
    small: 42,
    list: ['-90071992547409930'],
  })
  assert.deepEqual(json('[1e400,0.12345678901234566,9007199254740991,"1234567890123456789"]'), [
    Infinity,
    0.12345678901234566,
    9007199254740991,
    '1234567890123456789',
  ])
})

test('a body may begin with a byte order mark, and no prototype is changed', () => {
  assert.deepEqual(json('\ufeff{"a":1}'), { a: 1 })
  const value = json('{"__proto__":{"event":"bounce"},"id":1234567890123456789}') as {
    event?: unknown
  }
  assert.equal(value.event, undefined)
})

const multipart = [
  '--Bound',
  'Content-Disposition: form-data; name="event"',
  '',
  'bounced',
  '--Bound',
  'Content-Disposition: form-data; name="event"',
  '',
  'grüße\n2',
  '--Bound',
  'Content-Disposition: form-data; name="attachment-1"; filename="a.txt"',
  'Content-Type: text/plain',
  '',
  'file',
  '--Bound--',
  '',
].join('\r\n')

test('a multipart form is read with and without its boundary in the content type', async () => {
  for (const contentType of [
    undefined,
    'multipart/form-data',
    'multipart/form-data; boundary=Bound',
    'multipart/form-data; boundary="Bound"; charset=utf-8',
    'application/x-www-form-urlencoded',
  ]) {
    const form = await readForm(Buffer.from(multipart), contentType)
    assert.deepEqual(form.getAll('event'), ['bounced', 'grüße\n2'], contentType)
    assert.equal(form.get('attachment-1'), null)
  }
  const otherLineEnds = await readForm(Buffer.from(multipart.replaceAll('\r\n', '\n')))
  assert.equal(otherLineEnds.get('event'), 'bounced')
})

test('a form that is cut off, or of another boundary, is refused', async () => {
  await assert.rejects(readForm(Buffer.from(multipart.slice(0, 80))), WebhookError)
  await assert.rejects(
    readForm(Buffer.from(multipart), 'multipart/form-data; boundary=other'),
    WebhookError,
  )
})

test('a multipart form with many or large headers is refused before it is parsed', async () => {
  const disposition = 'Content-Disposition: form-data'
  for (const head of [
    `${'a:b\r\n'.repeat(170_000)}${disposition}; name="event"`,
    `${disposition}${'; name="event"'.repeat(50_000)}`,
    `${disposition}; name="event"\r\n\r\nx\r\n--Bound\r\n${'a:b\r\n'.repeat(170_000)}`,
    Array.from({ length: 900 }, () => `${'a:b\r\n'.repeat(100)}\r\nx\r\n--Bound\r\n`).join(''),
  ]) {
    const body = Buffer.from(`--Bound\r\n${head}\r\n\r\nx\r\n--Bound--\r\n`)
    await assert.rejects(readForm(body), /large headers of its parts/)
  }
  const long = multipart.replace('bounced', 'line\r\n'.repeat(150_000).trim())
  assert.equal((await readForm(Buffer.from(long))).get('event')?.length, 899_998)
})

test('a field of a form may be as large as a body, whatever it has', async () => {
  const size = 1_048_576 - 'a='.length
  const form = await readForm(Buffer.from(`a=${'+'.repeat(size)}`))
  assert.ok(form.get('a') === ' '.repeat(size))
  const other = await readForm(Buffer.from(`a=${'%2B'.repeat(300_000)}&+b+=%`))
  assert.ok(other.get('a') === '+'.repeat(300_000))
  assert.equal(other.get(' b '), '%')
})

test('a urlencoded form is read', async () => {
  const form = await readForm(Buffer.from('a=1&b=%C3%BC+x&a=2'))
  assert.deepEqual(form.getAll('a'), ['1', '2'])
  assert.equal(form.get('b'), 'ü x')
})

test('times are read in seconds and as ISO dates, and nonsense is none', () => {
  assert.equal(timeOfSeconds(1534109600.089676), 1534109600089)
  assert.equal(timeOfSeconds('1534109600.5'), 1534109600500)
  for (const odd of [0, -5, Number.NaN, 1e300, '', ' 5', '1e5', 'x', null, {}])
    assert.equal(timeOfSeconds(odd), null)
  const noon = Date.parse('2026-11-26T12:00:00Z')
  for (const text of [
    '2026-11-26T12:00:00Z',
    '2026-11-26T12:00:00',
    '2026-11-26 12:00:00.0000000 UTC',
    '2026-11-26T14:00:00+02:00',
    '2026-11-26 07:00:00 -0500',
    '2026-11-26T12:00:00.0003963Z',
  ])
    assert.equal(timeOfDate(text), noon, text)
  for (const odd of ['', '2026', '2026-13-45T12:00:00Z', '1900-01-01T00:00:00Z', 5, null])
    assert.equal(timeOfDate(odd), null)
})

test('an address is read with and without a name', () => {
  assert.equal(addressOf('jane@example.net'), 'jane@example.net')
  assert.equal(addressOf(' "Doe <x>" <jane@example.net> '), 'jane@example.net')
  for (const odd of ['', ' ', '<>', 5, null, 'x'.repeat(2000)]) assert.equal(addressOf(odd), null)
})
