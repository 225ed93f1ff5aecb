import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import type { QueueTables } from '../../src/queue/table.ts'
import { addTransport } from '../callers.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { submitMessage } from '../mautics.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { until } from '../until.ts'

const count = 600
const awayMs = 1_500

for (const { name, createMigrated } of testDatabases) {
  describe(`a queue whose database connection is lost, on ${name}`, () => {
    let database: TestDatabase
    let service: TestApp
    let server: ScriptedServer
    before(async () => {
      database = await createMigrated()
      server = await startScriptedServer()
      service = await openTestApp({ database })
    })
    after(async () => {
      await service.close()
      await server.stop()
      await database.drop()
    })

    test('no message is lost or sent twice, and it resumes by itself', async () => {
      server.delayMs = 30
      const { name: transport } = await addTransport(service, { mailerDsn: server.dsn })
      const submit = async (to: string) => {
        const text = `X-Mailyard-Transport: ${transport}\nMessage-ID: <${to}>\n\nHello`
        const replies = await submitMessage(service, undefined, { to, text, mode: 'queue' })
        assert.deepEqual(replies, ['250 2.0.0'])
      }
      await Promise.all(Array.from({ length: count }, (_, index) => submit(`${index}@lost.test`)))
      for (const share of [count / 20, count / 3]) {
        await until(() => server.taken.length > share, `${share} messages are sent`)
        await (name === 'SQLite' ? lockSqlite(database.url) : shutPostgres(database.url))
      }
      await until(async () => (await countQueued()) === 0, 'the queue is empty')
      assert.deepEqual([server.taken.length, new Set(server.taken).size], [count, count])
      assert.equal(await countAccepted(), count)
    })

    async function countQueued(): Promise<number> {
      const db = service.app.storage.tables<QueueTables>()
      return (await db.selectFrom('queue_recipients').select('id').execute()).length
    }

    async function countAccepted(): Promise<number> {
      const query = service.app.storage.tables<DeliveryTables>().selectFrom('deliveries')
      return (await query.where('outcome', '=', 'accepted').select('id').execute()).length
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
