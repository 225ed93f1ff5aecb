import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { type TestDatabase, testDatabases } from '../test/databases.ts'
import { openTestApp } from '../test/test-app.ts'
import { until } from '../test/until.ts'
import { type AppOptions, openApp, openDatabase } from './app.ts'
import { systemClock } from './kit/clock.ts'
import { createLog } from './kit/log.ts'
import { defaultConfig } from './platform/config/index.ts'

const secretKey = 'a secret key of 32 characters or more'

function appOptions({ url }: TestDatabase): AppOptions {
  const config = { ...defaultConfig(), databaseUrl: url, secretKey, adminPassword: 'a password' }
  return {
    config,
    rereadConfig: () => config,
    log: createLog('silent'),
    clock: systemClock,
    createSecret: () => 'a secret',
  }
}

/** PostgreSQL lists the process of a closed connection until that process has ended. */
async function assertDisconnected(database: TestDatabase): Promise<void> {
  await until(async () => (await countConnections(database)) === 0, 'all connections are closed')
}

/** Counts the open connections of other storages to a database. An open SQLite database has a write-ahead log. */
async function countConnections(database: TestDatabase): Promise<number> {
  const [, path] = /^sqlite:(.+)$/.exec(database.url) ?? []
  if (path !== undefined) return existsSync(`${path}-wal`) ? 1 : 0
  const { storage } = await openDatabase(appOptions(database))
  try {
    const sql = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    const { rows } = await storage.tables().executeQuery(CompiledQuery.raw(sql))
    return rows.length
  } finally {
    await storage.close()
  }
}

for (const { name, create } of testDatabases) {
  describe(`a new installation on ${name}`, () => {
    test('stays the same when it is opened again, also by several processes at the same time', async () => {
      const database = await create()
      const services = await Promise.all([1, 2, 3].map(() => openTestApp({ database })))
      const { body } = (await services[0]?.ask('GET', '/api/users')) ?? {}
      assert.equal(body.total, 1)
      await Promise.all(services.map((service) => service.close()))
      const again = await openTestApp({ database })
      assert.equal((await again.ask('GET', '/api/users')).body.total, 1)
      await again.close()
      await database.drop()
    })
  })

  describe(`openApp on ${name}`, () => {
    test('closes the database when a module fails to open', async () => {
      const database = await create()
      const options = appOptions(database)
      const config = Object.defineProperty({ ...options.config }, 'outboundPolicy', {
        get: () => {
          throw new Error('mailer failed')
        },
      })
      await assert.rejects(openApp({ ...options, config }), /mailer failed/)
      await assertDisconnected(database)
      await database.drop()
    })

    test('stops the delivery before the inbox, and closes the database last', async () => {
      const database = await create()
      const app = await openApp(appOptions(database))
      const calls = recordCalls([
        ['delivery', app.delivery, 'stop'],
        ['inbox', app.inbox.inbox.pruning, 'stop'],
        ['storage', app.storage, 'close'],
      ])
      await app.start()
      await app.close()
      assert.deepEqual(calls, ['delivery', 'inbox', 'storage'])
      await assertDisconnected(database)
      await database.drop()
    })

    test('closes the database when a module fails to stop', async () => {
      const database = await create()
      const app = await openApp(appOptions(database))
      const stop = app.delivery.stop.bind(app.delivery)
      app.delivery.stop = async () => {
        await stop()
        throw new Error('delivery failed')
      }
      await assert.rejects(app.close(), /delivery failed/)
      await assertDisconnected(database)
      await database.drop()
    })
  })
}

/** Records the names of the methods in the order of their calls. */
function recordCalls(methods: readonly [name: string, owner: object, method: string][]): string[] {
  const calls: string[] = []
  for (const [name, owner, method] of methods) {
    const original = Reflect.get(owner, method) as () => unknown
    Reflect.set(owner, method, () => {
      calls.push(name)
      return original.call(owner)
    })
  }
  return calls
}
