import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { createSendFixture, quickIntervals } from '../../test/send-fixture.ts'
import { until } from '../../test/until.ts'

/** The worker would look by itself after this time. */
const hourMs = 3_600_000

onEachDatabase(
  'a message that waits for tomorrow',
  { intervals: { ...quickIntervals, idleMs: hourMs } },
  (shared) => {
    const fixture = createSendFixture(() => shared.service)
    const server = useScriptedServer()

    test('is sent at once when another process makes it due', async (t) => {
      if (!shared.service.app.storage.isShared)
        return t.skip('a command on SQLite wakes no other process: it looks each second')
      const command = await shared.openAnother({ isStarted: false })
      const transportId = await fixture.transport(server.dsn)
      const emailId = await fixture.email(transportId)
      const contacts = await fixture.contacts(2)
      const limit = { name: 'One', transports: [transportId], perMonth: 1 }
      const { body: created } = await shared.service.ask('POST', '/api/limits/new', limit)
      assert.deepEqual(await fixture.send(emailId, contacts[0]?.id ?? 0), { success: true })
      const { queued } = await fixture.send(emailId, contacts[1]?.id ?? 0)
      await shared.service.ask('DELETE', `/api/limits/${created.limit.id}/delete`)
      const retried = await command.ask('POST', `/api/queue/messages/${queued.id}/retry`)
      assert.equal(retried.status, 200, retried.text)
      await until(() => server.taken.length === 2, 'the message is sent')
    })
  },
)
