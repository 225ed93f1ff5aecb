import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { defaultIntervals } from '../../src/core/delivery/intervals.ts'
import type { DeliveryTables } from '../../src/core/delivery/table.ts'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { addTransport } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import { useScriptedServer } from '../scripted-server.ts'

import { until } from '../until.ts'
import { submitQueued } from './submit-queued.ts'

const count = 300
const awayMs = 1_500
const intervals = { ...defaultIntervals, idleMs: 20 }

onEachDatabase('a queue whose database is lost', { intervals }, (shared) => {
  const server = useScriptedServer()

  test('no message is lost or sent twice, and it resumes by itself', async () => {
    server.delayMs = 30
    const { app } = shared.service
    const { name: transport } = await addTransport(shared.service, { mailerDsn: server.dsn })
    const submit = () => submitQueued(shared.service, { transport })
    await Promise.all(Array.from({ length: count }, submit))
    for (const share of [count / 20, count / 3]) {
      await until(() => server.taken.length > share, `${share} messages are sent`)
      await (app.storage.runsInProcess ? lockSqlite : shutPostgres)(shared.database.url)
    }
    const db = app.storage.tables<DeliveryTables & QueueTables>()
    const isEmpty = async () => {
      shared.clock.advance(60_000)
      await app.idle()
      return (await db.selectFrom('queue_recipients').select('id').execute()).length === 0
    }
    await until(isEmpty, 'PostgreSQL has committed what was lost with its connection')
    assert.deepEqual([server.taken.length, new Set(server.taken).size], [count, count])
    const accepted = db.selectFrom('deliveries').select('id').where('outcome', '=', 'accepted')
    assert.equal((await accepted.execute()).length, count)
  })
})

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
