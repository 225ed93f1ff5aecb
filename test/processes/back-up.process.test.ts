import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { createFolder, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'
import { ask, transport } from './client.ts'

const env = { MAILYARD_ADMIN_PASSWORD: adminPassword, MAILYARD_SMTP_PORT: '' }
const path = '/api/multipleTransports'

/** As docs/operations.md says. */
test('a back-up of SQLite that is made while others save is whole, and is restored over what a killed process left', async () => {
  const { folder, remove } = createFolder()
  const copy = join(folder, 'copy.db')
  let service = await startMailyard({ folder, env })
  try {
    await create(service, 'before')
    let isBackedUp = false
    const saving = saveUntil(service, () => isBackedUp)
    await command(folder, 'backup', copy)
    isBackedUp = true
    await saving
    for (let count = 0; count < 50; count += 1) await create(service, 'after')
    service.kill('SIGKILL')
    await service.ended

    await command(folder, 'restore', copy)
    service = await startMailyard({ folder, env })
    const { body } = await ask(service, path)
    const [first] = body
    assert.match(first.mailerDsn, /^smtp:\/\/user:before@/)
    assert.equal(
      body.some(({ name }: { name: string }) => name === 'after'),
      false,
    )
    await create(service, 'restored')
    assert.equal(await service.stop(), 0)
  } finally {
    service.kill('SIGKILL')
    await service.ended
    remove()
  }
})

/** As docs/tasks/if-this-disk-dies.md says. */
test('a database whose secret key is lost starts without its keys, and keeps all but the secrets', async () => {
  const { folder, remove } = createFolder()
  const file = join(folder, 'data', 'mailyard.db')
  let service = await startMailyard({ folder, env })
  try {
    await create(service, 'kept')
    assert.equal(await service.stop(), 0)
    rmSync(join(folder, 'data', 'mailyard.key'))
    await assert.rejects(startMailyard({ folder, env }), /key file .* is missing/)

    run(file, 'delete from data_keys; delete from signing_keys')
    service = await startMailyard({ folder, env })
    const [{ id, name, mailerDsn }] = (await ask(service, path)).body
    assert.deepEqual([name, mailerDsn], ['kept', 'unreadable://********'])
    const body = { mailerDsn: 'smtp://user:again@127.0.0.1:1' }
    const edited = await ask(service, `${path}/${id}/edit`, { method: 'PATCH', body })
    assert.deepEqual([edited.status, edited.body.mailerDsn], [200, body.mailerDsn])
    assert.equal(await service.stop(), 0)
  } finally {
    service.kill('SIGKILL')
    await service.ended
    remove()
  }
})

async function command(folder: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await runMailyard(args, { folder })
  assert.equal(code, 0, stderr)
}

async function create(service: MailyardProcess, name: string): Promise<void> {
  const { status } = await ask(service, `${path}/new`, { method: 'POST', body: transport(name) })
  assert.equal(status, 201)
}

async function saveUntil(service: MailyardProcess, isOver: () => boolean): Promise<void> {
  while (!isOver()) await create(service, 'meanwhile')
}

function run(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}
