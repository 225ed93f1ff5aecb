import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeQuotedPrintableInSteps, encodeQuotedPrintable } from './quoted-printable.ts'
import { runAtOnce } from './steps.ts'

const encode = (text: string) => encodeQuotedPrintable(text).toString('latin1')
const decode = (text: string) =>
  runAtOnce(decodeQuotedPrintableInSteps(Buffer.from(text, 'latin1'))).toString()

test('plain text stays readable, anything else is escaped', () => {
  assert.equal(encode('Hello, world!'), 'Hello, world!')
  assert.equal(encode('a=b'), 'a=3Db')
  assert.equal(encode('é✓'), '=C3=A9=E2=9C=93')
  assert.equal(encode('end \nof\tline\t'), 'end=20\r\nof\tline=09')
  assert.equal(encode('a\r\nb\nc\rd'), 'a\r\nb\r\nc=0Dd')
})

test('no line is longer than 76 characters, and none ends in white space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      for (const line of encode(text).split('\r\n')) {
        assert.ok(line.length <= 76, line)
        assert.doesNotMatch(line, /[ \t]$/)
      }
    }),
  )
})

test('what is encoded decodes to the same text, with CRLF line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      assert.equal(decode(encode(text)), text.replaceAll(/\r?\n/g, '\r\n'))
    }),
  )
})

test('a soft line break falls anywhere, and what is no escape stays', () => {
  assert.equal(decode('{twi=\r\ngtemplate=3D1}'), '{twigtemplate=1}')
  assert.equal(decode('a= \t\r\nb'), 'ab')
  assert.equal(decode('a=\nb='), 'ab')
  assert.equal(decode('100=% =zz =3d'), '100=% =zz =')
})
