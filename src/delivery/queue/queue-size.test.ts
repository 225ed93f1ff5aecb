import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createQueueSize } from './queue-size.ts'

onEachDatabase('the size of the queue', (shared) => {
  test('is limited for messages, but a notification is always stored', async () => {
    const size = createQueueSize(shared.service.app.storage, 100)
    assert.equal(await size.reserve(90), true)
    assert.equal(await size.reserve(20), false)
    assert.equal(await size.reserve(20, { isForced: true }), true)
    assert.equal(await size.reserve(1), false)
    size.release(90)
    assert.equal(await size.reserve(80), true)
  })
})
