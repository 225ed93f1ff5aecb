import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { testDatabases } from '../../../test/databases.ts'
import { openDatabase } from '../../app.ts'
import { systemClock } from '../../kit/clock.ts'
import { createLog } from '../../kit/log.ts'
import { secretKeyPath, stageSecretKey } from '../storage/index.ts'
import { openAppKeyring } from './open-keyring.ts'
import { type Config, defaultConfig } from './settings.ts'

/** Creates an empty database, without a key; it is removed after the test file. */
async function createDatabase(kind: 'SQLite' | 'PostgreSQL') {
  const database = await testDatabases.find(({ name }) => name === kind)?.create()
  assert.ok(database !== undefined)
  const config: Config = { ...defaultConfig(), databaseUrl: database.url }
  const { storage } = await openDatabase({ config, log: createLog('silent') })
  after(async () => {
    await storage.close()
    await database.drop()
  })
  const keyPath = secretKeyPath(database.url) ?? ''
  return { config, keyPath, open: () => openAppKeyring(config, { storage, clock: systemClock }) }
}

test('PostgreSQL without a secret key is rejected with the setting to set', async () => {
  const { open } = await createDatabase('PostgreSQL')
  await assert.rejects(open(), { code: 'secret_key_missing', message: /^MAILYARD_SECRET_KEY / })
})

test('a new SQLite database gets a key file, which the next start reads', async () => {
  const { open, keyPath } = await createDatabase('SQLite')
  await open()
  const key = readFileSync(keyPath, 'utf8')
  await open()
  assert.equal(readFileSync(keyPath, 'utf8'), key)
})

test('a missing key file is not replaced when the database has data keys', async () => {
  const { open, keyPath } = await createDatabase('SQLite')
  await open()
  rmSync(keyPath)
  await assert.rejects(open(), { code: 'key_file_missing', message: new RegExp(keyPath) })
  assert.equal(existsSync(keyPath), false)
})

test('a key file with another key is rejected, and stays as it is', async () => {
  const { open, keyPath } = await createDatabase('SQLite')
  await open()
  const other = 'another secret key of 32 characters or more'
  writeFileSync(keyPath, other)
  await assert.rejects(open(), { name: 'AppError' })
  assert.equal(readFileSync(keyPath, 'utf8'), other)
})

test('a staged key replaces the key file when the data keys are encrypted with it already', async () => {
  const { open, keyPath } = await createDatabase('SQLite')
  const keyring = await open()
  await keyring.rewrap(() => stageSecretKey(keyPath))
  const before = readFileSync(keyPath, 'utf8')
  await open()
  assert.notEqual(readFileSync(keyPath, 'utf8'), before)
  await open()
})
