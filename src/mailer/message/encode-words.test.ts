import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeWords } from 'postal-mime'
import { encodeWords } from './encode-words.ts'

test('any text comes back from its encoded words, and stays in one line of short words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const encoded = encodeWords(text)
      assert.match(encoded, /^[\u0020-\u007e]*$/)
      assert.ok(encoded === text || encoded.split(' ').every((word) => word.length <= 75))
      assert.equal(decodeWords(encoded), text)
    }),
  )
})

test('plain ASCII stays as it is, a line end does not', () => {
  assert.equal(encodeWords('Doe, Jane'), 'Doe, Jane')
  assert.equal(encodeWords('a\r\nBcc: b'), '=?utf-8?B?YQ0KQmNjOiBi?=')
})
