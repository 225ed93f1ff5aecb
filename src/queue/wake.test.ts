import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { until } from '../../test/until.ts'

/** The worker would look by itself after this time. */
const hourMs = 3_600_000

onEachDatabase(
  'a message that waits for tomorrow',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()

    test('is sent at once when another process makes it due', async (t) => {
      if (!shared.service.app.storage.isShared)
        return t.skip('a command on SQLite wakes no other process: it looks each second')
      const command = await shared.openAnother({ isStarted: false })
      const transportId = await fixture.transport(server.dsn)
      const emailId = await fixture.email(transportId)
      const { contacts } = await fixture.segment(2)
      const limit = { name: 'One', transports: [transportId], perMonth: 1 }
      const { body: created } = await shared.service.ask('POST', '/api/limits/new', limit)
      const send = async (contactId: number | undefined) => {
        const path = `/api/emails/${emailId}/contact/${contactId}/send`
        return (await shared.service.ask('POST', path, {})).body
      }
      assert.deepEqual(await send(contacts[0]?.id), { success: true })
      const { queued } = await send(contacts[1]?.id)
      await shared.service.ask('DELETE', `/api/limits/${created.limit.id}/delete`)
      const retried = await command.ask('POST', `/api/queue/messages/${queued.id}/retry`)
      assert.equal(retried.status, 200, retried.text)
      await until(() => server.taken.length === 2, 'the message is sent')
    })
  },
  { intervals: { ...quickIntervals, idleMs: hourMs } },
)
