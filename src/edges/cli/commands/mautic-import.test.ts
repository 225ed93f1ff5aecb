import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchByName } from './mautic-import.ts'

const named = (id: number, name: string, content: string) => ({ id, name, content })

test('two of the same name are matched by their content', () => {
  const theirs = [named(1, 'Brand', 'a'), named(2, 'brand ', 'b')]
  const ours = [named(7, 'Brand', 'b'), named(8, 'Brand', 'a')]
  const matches = matchByName(theirs, ours, 'content')
  assert.equal(matches.get(1), ours[1])
  assert.equal(matches.get(2), ours[0])
})

test('two of the same name, of which one is here, stay two', () => {
  const theirs = [named(1, 'Brand', 'a'), named(2, 'Brand', 'b')]
  const matches = matchByName(theirs, [named(7, 'Brand', 'b')], 'content')
  assert.equal(matches.get(1), undefined)
  assert.equal(matches.get(2)?.id, 7)
})

test('one that was changed here is the same one, with another content', () => {
  const matches = matchByName([named(1, 'Brand', 'a')], [named(7, 'Brand', 'c')], 'content')
  assert.equal(matches.get(1)?.id, 7)
})
