import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeXtext, escapeUnicode } from './xtext.ts'

test('xtext is decoded as RFC 3461 says', () => {
  for (const [text, decoded] of [
    ['QQ314159', 'QQ314159'],
    ['QQ+2B314', 'QQ+314'],
    ['a+3Db', 'a=b'],
    ['a+3db', 'a=b'],
    ['two+20words', 'two words'],
    ['+C3+B6', 'ö'],
    ['+0D+0AAction:', '\r\nAction:'],
  ] as const)
    assert.equal(decodeXtext(text), decoded, text)
})

test('text that is not xtext has no decoded form', () => {
  for (const text of ['', 'a+b', 'a+', 'a+2', 'a+2G', 'a=b', 'a b', 'jörg', 'a\r\nb'])
    assert.equal(decodeXtext(text), undefined, text)
})

test('an address with Unicode characters gets a 7-bit form', () => {
  assert.equal(escapeUnicode('jörg@münchen.test'), 'j\\x{F6}rg@m\\x{FC}nchen.test')
  assert.equal(escapeUnicode('😀@a.test'), '\\x{1F600}@a.test')
  assert.equal(escapeUnicode('jane@a.test'), 'jane@a.test')
})
