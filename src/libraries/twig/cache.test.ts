import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from './cache.ts'

test('evicts the least recently used entry when there are too many', () => {
  const cache = createCache<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})

test('evicts the least recently used entries when they weigh too much', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  assert.equal(cache.get('a'), 'xxxx')
  cache.set('c', 'xxx')
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], ['xxxx', undefined, 'xxx'])
})

test('keeps an entry that exceeds the total weight until the next one is set', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  cache.set('a', 'x'.repeat(50))
  assert.equal(cache.get('a')?.length, 50)
  cache.set('b', 'x')
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 'x'])
})

test('does not count the weight of a replaced entry', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  for (let i = 0; i < 9; i++) cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  assert.equal(cache.get('a'), 'xxxx')
})
