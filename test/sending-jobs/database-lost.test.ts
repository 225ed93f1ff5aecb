import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { createJobWorld, type JobWorld } from './job-world.ts'
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts'

const awayMs = 2_500

for (const { name, create } of testDatabases) {
  describe(`a job whose database goes away in the middle, on ${name}`, () => {
    let database: TestDatabase
    let yard: TestApp
    let world: JobWorld
    let server: ScriptedServer
    before(async () => {
      database = await create()
      server = await startScriptedServer()
      yard = await openTestApp({ database })
      world = createJobWorld(() => yard)
    })
    after(async () => {
      await yard.close()
      await server.stop()
      await database.drop()
    })

    test('nothing is lost, nothing is doubled, and it goes on by itself', async () => {
      server.delayMs = 30
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment } = await world.segment(2_000)
      const id = await world.send(emailId, { segment })
      for (const share of [100, 700]) {
        await world.until(id, ({ accepted }) => accepted > share)
        await (name === 'SQLite' ? lockSqlite(database.url) : shutPostgres(database.url))
      }
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.uncertain, done.refused], [2_000, 0, 0])
      assert.deepEqual([server.taken.length, new Set(server.taken).size], [2_000, 2_000])
      const counted = await yard.ask(
        'GET',
        `/api/deliveries?sendingId=${id}&outcome=accepted&limit=1`,
      )
      assert.equal(counted.status, 200)
      assert.equal(await countDeliveries(id), 2_000)
    })

    async function countDeliveries(sendingId: number): Promise<number> {
      const { body } = await yard.ask(
        'GET',
        `/api/deliveries?sendingId=${sendingId}&total=1&limit=1`,
      )
      return body.total
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
