import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { startPostgres } from '../postgres-server.ts'
import { ask, transport, until } from './client.ts'

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
    await checkLoggedOnce(service)

    await postgres.resume()
    await until('it serves again', async () => (await ask(service, '/readyz')).status === 200)
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
    await until('it is noticed', async () => (await ask(service, '/readyz')).status === 503)
    await checkUnavailable(service)
    for (const end of ['', '-wal', '-shm']) renameSync(`${file}.gone${end}`, file + end)
    await until('it serves again', async () => (await ask(service, '/readyz')).status === 200)
    assert.equal((await ask(service, `${path}/${id}`)).body.name, 'before')
    await create(service, 'after')
    assert.equal(await service.stop(), 0)
  } finally {
    service.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a full disk', () => {
  const disk = mountSmallDisk()
  const skip = disk === undefined ? 'needs the right to mount a tmpfs' : false

  test('is answered 503 with a reason; reads still work, no data is lost, and it recovers by itself', {
    skip,
  }, async () => {
    if (disk === undefined) return
    const service = await startMailyard({
      databaseUrl: `sqlite:${join(disk.folder, 'a.db')}`,
      env: apiSettings,
    })
    try {
      const filler = join(disk.folder, 'filler')
      const kept = [await create(service, 'before')]
      fill(filler)
      let refused: Awaited<ReturnType<typeof tryCreate>> | undefined
      while (refused === undefined) {
        const answer = await tryCreate(service, 'x'.repeat(20_000))
        if (answer.status === 201) kept.push(answer.body.id)
        else refused = answer
      }
      assert.equal(refused.status, 503)
      assert.equal(refused.body.success, false)
      assert.match(refused.body.error, /disk is full/)
      await untilLogged(service, 'disk is full')
      assert.equal((await ask(service, `${path}/${kept[0]}`)).status, 200)

      rmSync(filler)
      kept.push(await create(service, 'after'))
      const { body } = await ask(service, path)
      assert.deepEqual(
        body.map(({ id }: { id: number }) => id),
        kept,
      )
      assert.equal(await service.stop(), 0)
    } finally {
      service.kill('SIGKILL')
      await service.ended
      disk.unmount()
    }
  })
})

async function create(service: MailyardProcess, name: string): Promise<number> {
  const { status, body } = await tryCreate(service, name)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

function tryCreate(service: MailyardProcess, description: string) {
  const body = { ...transport('x'), name: description.slice(0, 50), description }
  return ask(service, `${path}/new`, { method: 'POST', body })
}

async function createUntilRefused(service: MailyardProcess): Promise<number> {
  for (;;) {
    const { status } = await tryCreate(service, 'while it lasts')
    if (status !== 201) return status
  }
}

/** A failure that is retried every second or two is logged once, not at each try. */
async function checkLoggedOnce(service: MailyardProcess): Promise<void> {
  const sleep = () => new Promise((resolve) => setTimeout(resolve, 3_000))
  await untilLogged(service, 'process heartbeat failed')
  // It is tried every five seconds, so its first failure may be the last of all.
  await untilLogged(service, 'delivery counts not updated')
  // A lost connection and a refused connection are logged separately.
  await sleep()
  const { length } = service.output()
  await sleep()
  // What is tried rarely may fail for the first time now.
  const before = new Set(failuresIn(service.output().slice(0, length)))
  const repeated = failuresIn(service.output().slice(length)).filter((each) => before.has(each))
  assert.deepEqual(repeated, [])
}

/** What the lines of a log say, and why. */
function failuresIn(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines.map((line) => {
    const { msg, err } = JSON.parse(line)
    return `${msg}: ${err?.message}`
  })
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
  await untilLogged(service, 'request failed')
}

function untilLogged(service: MailyardProcess, words: string): Promise<void> {
  return until(`the log has "${words}"`, async () => service.output().includes(words))
}

function mountSmallDisk(): { folder: string; unmount: () => void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-disk-'))
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]
    execFileSync('mount', options, { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    unmount() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** Leaves some hundred kilobytes. */
function fill(file: string): void {
  for (let megabytes = 6; megabytes > 0; megabytes -= 0.25) {
    try {
      writeFileSync(file, Buffer.alloc(megabytes * 1024 * 1024))
      return
    } catch {
      // Less may fit.
    }
  }
}
