import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onMailyard } from '../../../test/on-each-database.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import { createQueueSize } from './queue-size.ts'
import type { QueueTables } from './table.ts'

onMailyard('the size of the queue', { isOwn: true }, (shared) => {
  test('is limited for messages, but a notification is always stored', async () => {
    const size = createQueueSize(shared.service.app.storage, shared.clock, 100)
    assert.equal(await size.reserve(90), true)
    assert.equal(await size.reserve(20), false)
    assert.equal(await size.reserve(20, { isForced: true }), true)
    assert.equal(await size.reserve(1), false)
    size.release(90)
    assert.equal(await size.reserve(80), true)
  })

  test('is that of all messages that are stored', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<QueueTables>()
    const read = () => createQueueSize(storage, shared.clock, 0).read()
    const add = (id: number, size_bytes: number) =>
      addQueued(shared.service, 0, { id, recipient: 'a@b.test', size_bytes })
    assert.equal(await read(), 0)
    await add(1, 10)
    await add(2, 200)
    assert.equal(await read(), 210)
    await db.deleteFrom('queue_recipients').where('message_id', '=', 1).execute()
    await db.deleteFrom('queue_messages').where('id', '=', 1).execute()
    assert.equal(await read(), 200)
  })
})
