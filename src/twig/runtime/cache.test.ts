import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from './cache.ts'

test('where there are too many, the one not used for longest goes', () => {
  const cache = createCache<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})

test('where they weigh too much, those not used for longest go', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  assert.equal(cache.get('a'), 'xxxx')
  cache.set('c', 'xxx')
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], ['xxxx', undefined, 'xxx'])
})

test('what weighs more than all may is kept until the next comes', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  cache.set('a', 'x'.repeat(50))
  assert.equal(cache.get('a')?.length, 50)
  cache.set('b', 'x')
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 'x'])
})

test('what takes the place of another does not weigh twice', () => {
  const cache = createCache<string>(100, { weigh: (text) => text.length, weightMax: 10 })
  for (let i = 0; i < 9; i++) cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  assert.equal(cache.get('a'), 'xxxx')
})
