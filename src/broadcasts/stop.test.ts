import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'

onEachDatabase('a process that stops', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const servers: ScriptedServer[] = []
  before(async () => {
    servers.push(await startScriptedServer(), await startScriptedServer())
  })
  after(async () => {
    for (const server of servers) await server.stop()
  })

  test('writes outcomes and releases claims while it waits for slow messages', async () => {
    const [quick, slow] = servers
    assert.ok(quick && slow)
    const gate = Promise.withResolvers<void>()
    slow.gate = gate.promise
    quick.delayMs = 300
    const begin = async (server: ScriptedServer) => {
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      return fixture.send(emailId, { segment: (await fixture.segment(300)).segment })
    }
    const ids = [await begin(slow), await begin(quick)]
    await until(() => slow.asked.length > 0 && quick.taken.length > 0, 'both are being sent')
    const drained = shared.service.app.delivery.drain(60_000)
    const findUnsettled = async () => {
      const { rows } = await sql<{ broadcast_id: number }>`
        select distinct broadcast_id from queue_recipients where state = 'claimed'`.execute(
        shared.service.app.storage.tables(),
      )
      return rows
    }
    await until(async () => (await findUnsettled()).length === 1, 'only slow messages are left')
    assert.deepEqual(await findUnsettled(), [{ broadcast_id: ids[0] }])
    assert.equal((await fixture.get(ids[1] ?? 0)).accepted, quick.taken.length)
    gate.resolve()
    await drained
    assert.equal((await fixture.get(ids[0] ?? 0)).accepted, slow.taken.length)
  })
})
