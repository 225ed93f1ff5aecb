import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchByName } from './match.ts'

const named = (id: number, name: string, content: string) => ({ id, name, content })

test('two of the same name are matched by their content', () => {
  const theirs = [named(1, 'Brand', 'a'), named(2, 'brand ', 'b')]
  const ours = [named(7, 'Brand', 'b'), named(8, 'Brand', 'a')]
  const matches = matchByName(theirs, ours)
  assert.deepEqual(matches.get(1), { id: 8, isSame: true })
  assert.deepEqual(matches.get(2), { id: 7, isSame: true })
})

test('two of the same name, of which one is here, stay two', () => {
  const theirs = [named(1, 'Brand', 'a'), named(2, 'Brand', 'b')]
  const matches = matchByName(theirs, [named(7, 'Brand', 'b')])
  assert.equal(matches.get(1), undefined)
  assert.deepEqual(matches.get(2), { id: 7, isSame: true })
})

test('one that was changed here is the same one, with another content', () => {
  const matches = matchByName([named(1, 'Brand', 'a')], [named(7, 'Brand', 'c')])
  assert.deepEqual(matches.get(1), { id: 7, isSame: false })
})
