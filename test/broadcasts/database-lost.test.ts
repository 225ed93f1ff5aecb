import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { type BroadcastFixture, createBroadcastFixture } from './broadcast-fixture.ts'

const count = 600
const awayMs = 1_500

for (const { name, createMigrated } of testDatabases) {
  describe(`a broadcast whose database connection is lost, on ${name}`, () => {
    let database: TestDatabase
    let service: TestApp
    let fixture: BroadcastFixture
    let server: ScriptedServer
    before(async () => {
      database = await createMigrated()
      server = await startScriptedServer()
      service = await openTestApp({ database })
      fixture = createBroadcastFixture(() => service)
    })
    after(async () => {
      await service.close()
      await server.stop()
      await database.drop()
    })

    test('no message is lost or sent twice, and the broadcast resumes by itself', async () => {
      server.delayMs = 30
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(count)
      const id = await fixture.send(emailId, { segment })
      for (const share of [count / 20, count / 3]) {
        await fixture.until(id, ({ accepted }) => accepted > share)
        await (name === 'SQLite' ? lockSqlite(database.url) : shutPostgres(database.url))
      }
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.uncertain, done.refused], [count, 0, 0])
      assert.deepEqual([server.taken.length, new Set(server.taken).size], [count, count])
      assert.equal(await countAccepted(id), count)
    })

    async function countAccepted(broadcastId: number): Promise<number> {
      const query = service.app.storage.tables<DeliveryTables>().selectFrom('deliveries')
      const accepted = query
        .where('broadcast_id', '=', broadcastId)
        .where('outcome', '=', 'accepted')
      return (await accepted.select('id').execute()).length
    }
  })
}

/** All connections are cut, and new ones refused for a while. */
async function shutPostgres(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const client = new pg.Client(url.replace(/\/[^/]*$/, '/postgres'))
  await client.connect()
  await client.query(`alter database ${name} with allow_connections false`)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    name,
  ])
  await setTimeout(awayMs)
  await client.query(`alter database ${name} with allow_connections true`)
  await client.end()
}

/** Another process holds the one write lock for a while. */
async function lockSqlite(url: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 })
  other.exec('begin immediate')
  await setTimeout(awayMs)
  other.exec('rollback')
  other.close()
}
