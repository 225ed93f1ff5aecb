import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeDisplayName, encodeHeaderText } from './encoded-words.ts'

test('a long List-Unsubscribe stays readable: folded between its addresses, never encoded', () => {
  const url = `<https://example.com/unsubscribe/${'x'.repeat(300)}>`
  const encoded = encodeHeaderText(`${url}, <mailto:leave@example.com?subject=${'y'.repeat(40)}>`)
  assert.match(encoded, /^<https:[^\r]*>,\r\n <mailto:leave@[^\r]*>$/)
})

test('plain text unfolds to what it was, in lines that no server cuts', () => {
  const plain = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '<', ',', 'word'),
    maxLength: 400,
  })
  fc.assert(
    fc.property(plain, (text) => {
      const encoded = encodeHeaderText(text)
      assert.equal(encoded.replaceAll('\r\n', ''), text)
      for (const line of encoded.split('\r\n').slice(1)) assert.match(line, /^ [^ ]/)
    }),
  )
})

test('a word longer than a line may be is encoded, so that no line is too long', () => {
  const encoded = encodeHeaderText('x'.repeat(2_000))
  for (const line of encoded.split('\r\n')) assert.ok(line.length < 100)
})

test('a line end in a value ends no header', () => {
  assert.equal(encodeHeaderText('a\r\nBcc: b@example.com'), 'a Bcc: b@example.com')
})

test('a long name with a comma is one name, not two addresses', () => {
  const name = `Shop, ${'the best of all '.repeat(6)}`
  assert.match(encodeDisplayName(name), /^=\?UTF-8\?B\?/)
  assert.equal(encodeDisplayName('Shop, Inc.'), '"Shop, Inc."')
})
