import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import {
  type ScriptedServer,
  startScriptedServer,
} from '../../../test/sending-jobs/scripted-server.ts'

onEachDatabase('a process that is told to stop', (shared) => {
  const world = createJobWorld(() => shared.yard)
  const servers: ScriptedServer[] = []
  before(async () => {
    servers.push(await startScriptedServer(), await startScriptedServer())
  })
  after(async () => {
    for (const server of servers) await server.stop()
  })

  test('writes down what ends and gives back what has not begun, while it waits for what is slow', async () => {
    const [quick, slow] = servers
    assert.ok(quick && slow)
    const begin = async (server: ScriptedServer, delayMs: number) => {
      server.delayMs = delayMs
      const emailId = await world.email(await world.transport(server.dsn))
      return world.send(emailId, { segment: (await world.segment(300)).segment })
    }
    const ids = [await begin(slow, 3_000), await begin(quick, 300)]
    await setTimeout(1_000)
    const drained = shared.yard.app.sending.drain(0)
    await setTimeout(1_500)
    const { rows } = await sql<{ sending_id: number; status: string }>`
      select distinct sending_id, status from sending_recipients
      where status in ('claimed', 'sending')`.execute(shared.yard.app.storage.tables())
    assert.deepEqual(rows, [{ sending_id: ids[0], status: 'sending' }])
    assert.equal((await world.get(ids[1] ?? 0)).accepted, quick.taken.length)
    await drained
    assert.equal((await world.get(ids[0] ?? 0)).accepted, slow.taken.length)
  })
})
