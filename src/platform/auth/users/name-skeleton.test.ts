import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findInvisible, nameSkeleton } from './name-skeleton.ts'

describe('names that look alike have the same skeleton', () => {
  const pairs: readonly [string, string, string][] = [
    ['admin', '\u0430dmin', 'Cyrillic a'],
    ['admin', 'adm\u0131n', 'dotless i'],
    ['scope', '\u0455\u0441\u043e\u0440\u0435', 'Cyrillic throughout'],
    ['SCOPE', '\u0405\u0421\u041e\u0420\u0415', 'Cyrillic capitals'],
    ['omega', '\u03bfmega', 'Greek omicron'],
    ['paypal', 'paypaI', 'capital i'],
    ['paypal', 'paypa1', 'digit one'],
    ['Oscar', '0scar', 'digit zero'],
    ['modern', 'modem', 'rn and m'],
    ['admin', '\uff41\uff44\uff4d\uff49\uff4e', 'full width'],
    ['admin', '\u{1d41a}dmin', 'mathematical bold'],
    ['admin', 'ad\u200bmin', 'zero width space'],
    ['admin', 'ad\u00admin', 'soft hyphen'],
    ['ada admin', 'ada\u00a0admin', 'no-break space'],
    ['ada admin', 'ada  admin', 'two blanks'],
    ['caf\u00e9', 'cafe\u0301', 'combining accent'],
    ['a-b', 'a\u2010b', 'hyphen'],
    ['a/b', 'a\u2044b', 'fraction slash'],
  ]
  for (const [one, other, why] of pairs) {
    test(`${one} and ${other} (${why})`, () => {
      assert.equal(nameSkeleton(one), nameSkeleton(other))
    })
  }
})

test('names that look different have different skeletons', () => {
  const names = ['ada', 'adam', 'Anna', 'user1', 'user2', 'user10', 'user11', 'jos\u00e9', 'jose']
  const others = [
    '\u0438\u0432\u0430\u043d',
    '\u7530\u4e2d',
    '\u65e5\u672c',
    'bob@example.com',
    'bob',
  ]
  const skeletons = [...names, ...others].map(nameSkeleton)
  assert.equal(new Set(skeletons).size, skeletons.length)
})

test('invisible characters are named', () => {
  const codes = '200B 200D 00AD 202E 2066 2060 FEFF 0009 2028 E0041 3164 115F FE0F'
  for (const code of codes.split(' '))
    assert.equal(findInvisible(`a${String.fromCodePoint(Number.parseInt(code, 16))}b`), `U+${code}`)
  assert.equal(findInvisible('Ada Admin \u00e9 \u7530'), undefined)
})
