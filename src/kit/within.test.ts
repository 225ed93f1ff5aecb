import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from './within.ts'

test('work that ends in time has its result, or its error', async () => {
  assert.equal(await within(60_000, Promise.resolve(7)), 7)
  await assert.rejects(within(60_000, Promise.reject(new Error('failed'))), /failed/)
})

test('work that takes longer has no result, and an error of it later harms nothing', async () => {
  const { promise, reject } = Promise.withResolvers<number>()
  assert.equal(await within(1, promise), undefined)
  reject(new Error('too late'))
  await assert.rejects(promise, /too late/)
})
