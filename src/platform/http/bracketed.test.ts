import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import qs from 'qs'
import { notUtf8, parseBracketed } from './bracketed.ts'

const parse = (text: string) => parseBracketed(text, 20_000)

test('names with brackets are read as PHP reads them', () => {
  const cases: [text: string, values: object][] = [
    ['', {}],
    ['a', { a: '' }],
    ['a=b=c&&d=', { a: 'b=c', d: '' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['ids[]=1&ids[]=2', { ids: ['1', '2'] }],
    ['ids%5B%5D=1', { ids: ['1'] }],
    ['where[1][col]=b&where[0][col]=a', { where: [{ col: 'a' }, { col: 'b' }] }],
    ['a[][b]=1&a[][b]=2', { a: [{ b: '1' }, { b: '2' }] }],
    ['a[b]=1&a[]=2', { a: { b: '1', 0: '2' } }],
    ['a=1&a[b]=2', { a: ['1', { b: '2' }] }],
    ['0[name]=x&1[name]=y', { 0: { name: 'x' }, 1: { name: 'y' } }],
    ['a[b=c', { 'a[b': 'c' }],
    ['a[=]]=c', { a: { '=': 'c' } }],
    ['a[b][c][d][e][f][g]=1', { a: { b: { c: { d: { e: { f: { '[g]': '1' } } } } } } }],
    ['a+b=c+d&%C3%A4=%F0%9F%98%80', { 'a b': 'c d', ä: '😀' }],
    ['a=100%+%zz+%C3%BC&c=%41', { a: '100% %zz ü', c: 'A' }],
    [
      'a=M%FCnchen%FC&b=%ED%A0%80&c=%C3%BC',
      { a: `M${notUtf8}nchen${notUtf8}`, b: notUtf8, c: 'ü' },
    ],
  ]
  for (const [text, values] of cases) assert.deepEqual(parse(text), values, text)
})

test('no name reaches the prototype of an object', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'a[__proto__]', '__proto__[b]'])
    assert.deepEqual(parse(`${name}=1&b=2`), { b: '2' })
})

test('what clients write comes back, as the library qs reads it', () => {
  const name = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 4 })
  const plain = name.filter((each) => !/[[\]]/.test(each) && !(each in Object.prototype))
  const word = plain.filter((each) => !/^\d+$/.test(each))
  const text = fc.string({ unit: 'grapheme', maxLength: 5 })
  const values = fc.dictionary(
    plain,
    fc.oneof(
      text,
      fc.array(text, { minLength: 1, maxLength: 5 }),
      fc.dictionary(word, text, { minKeys: 1, maxKeys: 3 }),
      fc.array(fc.dictionary(word, text, { minKeys: 1, maxKeys: 2 }), {
        minLength: 1,
        maxLength: 3,
      }),
    ),
  )
  const property = fc.property(values, (given) => {
    const written = qs.stringify(given, { arrayFormat: 'indices' })
    assert.deepEqual(parse(written), qs.parse(written, { depth: 5, arrayLimit: 100 }))
  })
  fc.assert(property, { numRuns: 300 })
})
