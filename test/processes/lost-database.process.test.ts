import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { startPostgres } from '../postgres-server.ts'
import { until } from '../until.ts'
import { ask, transport } from './client.ts'

const path = '/api/multipleTransports'

test('requests are answered 503 while PostgreSQL is down, and served again once it is back', async () => {
  const postgres = await startPostgres()
  const service = await startMailyard({ databaseUrl: postgres.url, env: apiSettings })
  try {
    const before = await create(service, 'before')
    const busy = Array.from({ length: 8 }, () => createUntilRefused(service))
    await postgres.halt()
    for (const status of await Promise.all(busy)) assert.equal(status, 503)
    await checkUnavailable(service)

    await postgres.resume()
    await until(async () => (await ask(service, '/readyz')).status === 200, 'it serves again')
    assert.equal((await ask(service, `${path}/${before}`)).body.name, 'before')
    await create(service, 'after')
    assert.equal(await service.stop(), 0)
  } finally {
    service.kill('SIGKILL')
    await postgres.stop()
  }
})

test('requests are answered 503 while the SQLite file is moved away, and no write goes to the moved file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-lost-'))
  const file = join(folder, 'mailyard.db')
  const service = await startMailyard({ databaseUrl: `sqlite:${file}`, env: apiSettings })
  try {
    const id = await create(service, 'before')
    for (const end of ['', '-wal', '-shm']) renameSync(file + end, `${file}.gone${end}`)
    await until(async () => (await ask(service, '/readyz')).status === 503, 'it is noticed')
    await checkUnavailable(service)
    for (const end of ['', '-wal', '-shm']) renameSync(`${file}.gone${end}`, file + end)
    await until(async () => (await ask(service, '/readyz')).status === 200, 'it serves again')
    assert.equal((await ask(service, `${path}/${id}`)).body.name, 'before')
    await create(service, 'after')
    assert.equal(await service.stop(), 0)
  } finally {
    service.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

async function create(service: MailyardProcess, name: string): Promise<number> {
  const { status, body } = await tryCreate(service, name)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

function tryCreate(service: MailyardProcess, name: string) {
  return ask(service, `${path}/new`, { method: 'POST', body: transport(name) })
}

async function createUntilRefused(service: MailyardProcess): Promise<number> {
  for (;;) {
    const { status } = await tryCreate(service, 'while it lasts')
    if (status !== 201) return status
  }
}

/** Every kind of request is 503 in the one shape of errors, and the log says what is wrong. */
async function checkUnavailable(service: MailyardProcess): Promise<void> {
  const answers = [
    await ask(service, '/readyz'),
    await ask(service, path),
    await ask(service, `${path}/1`),
    await tryCreate(service, 'y'),
    await ask(service, `${path}/batch/new`, { method: 'POST', body: [transport('z')] }),
    await ask(service, `${path}/1/edit`, { method: 'PATCH', body: { name: 'z' } }),
    await ask(service, `${path}/1/delete`, { method: 'DELETE' }),
  ]
  for (const { status, body } of answers) {
    assert.equal(status, 503, JSON.stringify(body))
    assert.equal(body.success, false)
    assert.match(body.error, /database/i)
  }
  assert.equal((await ask(service, '/healthz')).status, 200)
  await until(() => service.output().includes('request failed'), 'the log says so')
}
