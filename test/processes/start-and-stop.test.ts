import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { openStorage } from '../../src/storage/index.ts'
import { asAdmin } from '../administrator.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import {
  apiSettings,
  createFolder,
  type MailyardProcess,
  startMailyard,
} from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'
import { volume } from '../volume.ts'
import { ask, transport, until } from './client.ts'

const path = '/api/multipleTransports'
const itemCount = volume({ short: 1_000, full: 10_000 })
const { folder, remove } = createFolder()

after(remove)

describe('a start', () => {
  test('with a file that is no database says so', async () => {
    const file = join(folder, 'broken.db')
    writeFileSync(file, 'This is no database, however long it is. '.repeat(1_000))
    await assert.rejects(
      startMailyard({ databaseUrl: `sqlite:${file}`, env: apiSettings }),
      /not a SQLite database/,
    )
  })

  test('with a database of a newer Mailyard says so, and leaves it alone', async () => {
    const file = join(folder, 'newer.db')
    const options = { databaseUrl: `sqlite:${file}`, env: apiSettings }
    assert.equal((await runMailyard(['migrate'], options)).code, 0)
    const database = new DatabaseSync(file)
    database.exec(`insert into migrations values ('29990101_later', '2999-01-01')`)
    await assert.rejects(startMailyard(options), /newer Mailyard/)
    assert.equal(database.prepare('select count(*) n from users').get()?.['n'], 0)
    database.close()
  })

  test('waits while another process holds the write lock', async () => {
    const file = join(folder, 'locked.db')
    const options = { databaseUrl: `sqlite:${file}`, env: apiSettings }
    assert.equal((await runMailyard(['migrate'], options)).code, 0)
    const holder = new DatabaseSync(file)
    holder.exec('begin immediate')
    const starting = startMailyard(options)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    holder.exec('commit')
    holder.close()
    assert.equal(await (await starting).stop(), 0)
  })

  test('handles a stop signal from its first moment, and exits with 0', async () => {
    const file = join(folder, 'stopped.db')
    const heardBeforeOpened: boolean[] = []
    const code = await run(['serve'], {
      env: {
        ...apiSettings,
        MAILYARD_DATABASE_URL: `sqlite:${file}`,
        MAILYARD_PORT: '0',
        MAILYARD_LOG_LEVEL: 'warn',
      },
      stdin: process.stdin,
      stdout: { write: () => true },
      stderr: { write: () => true },
      cwd: () => folder,
      once: (_signal, listener) => {
        heardBeforeOpened.push(!existsSync(file))
        listener()
      },
    })
    assert.equal(code, 0)
    assert.deepEqual(heardBeforeOpened, [true, true])
  })

  test('fails with an error that names the database when PostgreSQL is not reachable', async () => {
    const databaseUrl = 'postgres://mailyard@127.0.0.1:1/nothing'
    await assert.rejects(startMailyard({ databaseUrl, env: apiSettings }), /database/i)
  })

  test('of four processes at once migrates once and makes one administrator, on PostgreSQL', async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    const database = await postgres?.create()
    const options = { databaseUrl: database?.url ?? '', env: apiSettings }
    const services = await Promise.all(Array.from({ length: 4 }, () => startMailyard(options)))
    const [first] = services as [MailyardProcess]
    const { body } = await ask(first, '/api/users')
    assert.equal(body.total, 1)
    const lists = await Promise.all(services.map((service) => ask(service, '/api/roles')))
    for (const list of lists) assert.equal(list.body.total, lists[0]?.body.total)
    const codes = await Promise.all(services.map((service) => service.stop()))
    assert.deepEqual(codes, [0, 0, 0, 0])
    await database?.drop()
  })
})

for (const { name, createMigrated } of testDatabases) {
  describe(`a stop, on ${name}`, () => {
    let database: TestDatabase
    const start = async () => {
      database = await createMigrated()
      return startMailyard({ databaseUrl: database.url, env: apiSettings })
    }

    test('finishes open requests, accepts no new ones, and exits with 0', async () => {
      const service = await start()
      const items = Array.from({ length: itemCount }, (_, each) => transport(String(each)))
      const batch = ask(service, `${path}/batch/new`, { method: 'POST', body: items })
      const slow = await openSlowly(service)
      // The service has the first half of the slow request before these, which it gets later.
      const hasBegun = async () => (await ask(service, `${path}?limit=1`)).body.length > 0
      await until('the batch is being saved', hasBegun, 1)
      service.kill('SIGTERM')
      await until('it stops', async () => service.output().includes('stopping'))
      slow.finish()
      const { status, body } = await batch
      assert.equal(status, 201)
      assert.equal(body.multipleTransports.length, itemCount)
      assert.match(await slow.answer, /^HTTP\/1\.1 (201|503) /)
      assert.equal(await service.ended, 0)
      await assert.rejects(ask(service, '/healthz'))

      const count = (await slow.answer).includes(' 201 ') ? itemCount + 1 : itemCount
      assert.equal(await countTransports(database.url), count)
      await database.drop()
    })

    test('does not wait for idle connections', async () => {
      const service = await start()
      const silent = connect({ port: service.port, host: '127.0.0.1' })
      await once(silent, 'connect')
      assert.equal((await ask(service, '/healthz')).status, 200)
      const startedAt = performance.now()
      assert.equal(await service.stop(), 0)
      // As long as requests in flight may take, it would wait for them.
      assert.ok(performance.now() - startedAt < 20_000)
      silent.destroy()
      await database.drop()
    })
  })
}

async function countTransports(url: string): Promise<number> {
  const storage = openStorage({ url, onIdleError: () => undefined })
  const db = storage.tables<{ transports: { id: number } }>()
  const rows = await db.selectFrom('transports').select('id').execute()
  await storage.close()
  return rows.length
}

/** Sends the first half of a request; the caller finishes it. */
async function openSlowly({ port }: MailyardProcess) {
  const body = JSON.stringify(transport('slow'))
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('error', reject).once('close', () => resolve(text))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('\r\n\r\n')) socket.end()
    })
  })
  socket.write(
    `POST ${path}/new HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${asAdmin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  return { answer, finish: () => void socket.write(body.slice(10)) }
}
