import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filter } from '../../storage/index.ts'
import { parseListQuery } from './parse-list-query.ts'
import { parseSearch } from './search.ts'

const tags = { type: 'text', isList: true } as const
const fields = { name: { type: 'text' }, isPublished: { type: 'boolean' }, tags } as const
const text = (word: string): Filter => ({ op: 'text', text: word })
const and = (...of: Filter[]): Filter => ({ op: 'and', of })
const or = (...of: Filter[]): Filter => ({ op: 'or', of })
const not = (of: Filter): Filter => ({ op: 'not', of })
const published: Filter = { op: 'eq', field: 'isPublished', value: true }

const cases: [search: string, filter: Filter][] = [
  ['', and()],
  ['Main', and(text('main'))],
  ['main relay', and(text('main'), text('relay'))],
  ['"Main relay" x', and(text('main relay'), text('x'))],
  ['!main', and(not(text('main')))],
  ['+Main', and({ op: 'name', text: 'main' })],
  ['!+main', and(not({ op: 'name', text: 'main' }))],
  ['+"Main relay"', and({ op: 'name', text: 'main relay' })],
  ['a or b c', or(and(text('a')), and(text('b'), text('c')))],
  ['(a or b) c', and(or(and(text('a')), and(text('b'))), text('c'))],
  ['!(a b)', and(not(and(text('a'), text('b'))))],
  ['is:published', and(published)],
  ['is:Unpublished a', and({ op: 'eq', field: 'isPublished', value: false }, text('a'))],
  ['is:mine', and({ op: 'mine' })],
  ['ids:1,22', and({ op: 'ids', ids: [1, 22] })],
  ['name:re_l', and({ op: 'like', field: 'name', value: '%re\\_l%' })],
  ['tag:a', and({ op: 'has', field: 'tags', value: 'a' })],
  ['name:"two words"', and({ op: 'like', field: 'name', value: '%two words%' })],
  ['smtp://host is:odd', and(text('smtp://host'), text('is:odd'))],
  ['"or"', and(text('or'))],
  ['or', and()],
  ['a)b', and(and(text('a')), and(text('b')))],
]

for (const [search, filter] of cases) {
  test(`the search ${JSON.stringify(search)} is understood`, () => {
    assert.deepEqual(parseSearch(search, fields), filter)
  })
}

test('a search with too many words or signs is refused', () => {
  for (const hostile of ['(', '!', '!(', ')', 'a ', '"" ', 'or '])
    assert.throws(() => parseSearch(`${hostile.repeat(20_000)}x`, fields), /more than 1000 words/)
  for (const long of ['a:', '"', '!"', 'a"', ':'])
    assert.doesNotThrow(() => parseSearch(`x${long.repeat(400)}`, fields))
})

test('words and patterns of more than 400 characters together are refused with the limit', () => {
  const parse = (query: Record<string, unknown>) =>
    parseListQuery(query, { fields: { name: { type: 'text' } }, limit: 30 })
  const word = 'a'.repeat(190)
  const clause = { col: 'name', expr: 'notLike', val: word }
  const hostile = [
    { search: `${word} ${word} ${word}` },
    { search: `${word} name:${word} !${word}` },
    { where: [clause, clause, clause] },
  ]
  for (const query of hostile)
    assert.throws(() => parse(query), {
      code: 'filter_too_large',
      message: /more than 400 characters together/,
    })
  assert.doesNotThrow(() => parse({ search: `${word} ${word}` }))
})
