import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { run } from '../../src/edges/cli/run.ts'
import { openStorage } from '../../src/platform/storage/index.ts'
import { asAdmin } from '../administrator.ts'
import { testDatabases } from '../databases.ts'
import {
  apiSettings,
  createFolder,
  type MailyardProcess,
  startMailyard,
} from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'
import { ask, transport } from './client.ts'

const path = '/api/multipleTransports'
const itemCount = volume({ short: 1_000, full: 10_000 })
const root = join(import.meta.dirname, '../..')
const { folder, remove } = createFolder()

after(remove)

describe('a start', () => {
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
})

for (const { name, createMigrated } of testDatabases) {
  describe(`a stop, on ${name}`, () => {
    test('closes idle connections, finishes open requests, accepts no new ones, and exits with 0', async () => {
      const database = await createMigrated()
      const service = await startMailyard({ databaseUrl: database.url, env: apiSettings })
      const items = Array.from({ length: itemCount }, (_, each) => transport(String(each)))
      const batch = ask(service, `${path}/batch/new`, { method: 'POST', body: items })
      const slow = await openSlowly(service)
      const silent = connect({ port: service.port, host: '127.0.0.1' })
      await once(silent, 'connect')
      const silentClosed = once(silent, 'close')
      // The service has the first half of the slow request before these, which it gets later.
      const hasBegun = async () => (await ask(service, `${path}?limit=1`)).body.length > 0
      await until(hasBegun, 'the batch is being saved')
      service.kill('SIGTERM')
      await until(() => service.output().includes('stopping'), 'it stops')
      // It does not wait for idle connections, as it does for requests.
      await silentClosed
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
  })
}

test('a signal to `npm start` stops Mailyard', async () => {
  const settings = { MAILYARD_DATABASE_URL: `sqlite:${folder}/npm.db`, MAILYARD_PORT: '0' }
  const env = { ...process.env, ...apiSettings, ...settings, MAILYARD_LOG_FORMAT: 'json' }
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true })
  let output = ''
  npm.stdout.on('data', (chunk) => (output += String(chunk)))
  const hasLogged = (text: string) =>
    until(
      () => output,
      text,
      () => output.includes(text),
    )
  try {
    await hasLogged('listening at http')
    npm.kill()
    await hasLogged('"msg":"stopped"')
  } finally {
    if (npm.pid !== undefined && !output.includes('"msg":"stopped"')) process.kill(-npm.pid)
  }
})

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
