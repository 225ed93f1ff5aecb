import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { createQueueSize } from './queue-size.ts'
import type { QueueTables } from './table.ts'

onEachDatabase('the size of the queue', (shared) => {
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
    const add = async (sizeBytes: number) => {
      const values = { ...emptyMessage, size_bytes: sizeBytes }
      const query = db.insertInto('queue_messages').values(values).returning('id')
      return (await query.executeTakeFirstOrThrow()).id
    }
    assert.equal(await read(), 0)
    const [first] = [await add(10), await add(200)]
    assert.equal(await read(), 210)
    await db.deleteFrom('queue_messages').where('id', '=', first).execute()
    assert.equal(await read(), 200)
  })
})

const emptyMessage = {
  ...{
    created_at: 0,
    expires_at: 0,
    lane: 'bulk' as const,
    caller: '',
    submitter: '{}',
    sender: '',
  },
  ...{ message_id: null, email_id: null, contact_id: null },
  ...{ rendered: null, key_id: '', body: new Uint8Array() },
} as const
