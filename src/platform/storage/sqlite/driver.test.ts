import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { until } from '../../../../test/until.ts'
import { SqliteDriver } from './driver.ts'
import { SqliteFile } from './sqlite-file.ts'

let folder = ''
let log = ''
let driver: SqliteDriver
let file: SqliteFile
let idleErrors: Error[] = []
/** Another process on the same file. */
let other: DatabaseSync
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-driver-'))
  const path = join(folder, 'mailyard.db')
  log = `${path}-wal`
  idleErrors = []
  file = new SqliteFile(path, (error) => idleErrors.push(error))
  driver = new SqliteDriver(file)
  await driver.init()
  await write('create table users (hash text)')
  await write(`insert into users values ('old')`)
  other = new DatabaseSync(path)
  // Only now is the file open there, and stays with its log when we close ours.
  other.prepare('select * from users').all()
})
afterEach(async () => {
  other.close()
  await driver.destroy()
  rmSync(folder, { recursive: true, force: true })
})

const write = async (text: string) => {
  const session = await driver.acquireConnection()
  await session.executeQuery(CompiledQuery.raw(text))
  await driver.releaseConnection(session)
}
/** Commits, and leaves it to others to wait for the disk. */
const commitSoon = async (text: string) => {
  const session = await driver.acquireConnection()
  await session.begin()
  await session.executeQuery(CompiledQuery.raw(text))
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
}
const openFile = (path: string) => new SqliteDriver(new SqliteFile(path, assert.fail)).init()
const diskError = /disk reports an error/
/** A commit whose flush fails; the disk is well again after it. */
const failFlush = async () => {
  await commitSoon(`update users set hash = 'one'`)
  file.reopen()
  renameSync(log, `${log}-away`)
  await assert.rejects(file.flush(), diskError)
  renameSync(`${log}-away`, log)
}
const findHash = () => {
  const found = file.readSync<{ hash: string }>(CompiledQuery.raw('select hash from users'))
  return found?.row?.hash
}

test('a look-up and the change stamp see what another process commits between two transactions, in the same turn', async () => {
  const [first, second] = [await driver.acquireConnection(), await driver.acquireConnection()]
  const before = file.changeStamp()
  await first.begin()
  assert.equal(findHash(), 'old')
  await driver.rollbackTransaction(first)
  await driver.releaseConnection(first)
  other.exec(`update users set hash = 'new'`)
  await second.begin()
  assert.notEqual(file.changeStamp(), before)
  assert.equal(findHash(), 'new')
  await driver.rollbackTransaction(second)
  await driver.releaseConnection(second)
})

test('a look-up sees nothing of a transaction that is open, and all of it once it is committed', async () => {
  const session = await driver.acquireConnection()
  assert.equal(findHash(), 'old')
  await session.begin()
  await session.executeQuery(CompiledQuery.raw(`update users set hash = 'new'`))
  const before = file.changeStamp()
  assert.equal(findHash(), 'old')
  assert.equal(file.changeStamp(), before)
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
  assert.equal(findHash(), 'new')
  assert.notEqual(file.changeStamp(), before)
})

test('a flush covers what was committed on a connection that was dropped', async () => {
  await commitSoon(`update users set hash = 'new'`)
  file.reopen()
  renameSync(log, `${log}-away`)
  await assert.rejects(file.flush(), diskError)
})

test('a log that could not be flushed is copied into the database file before a change is acknowledged', async () => {
  await failFlush()

  other.exec('begin')
  other.prepare('select * from users').all()
  await assert.rejects(
    write(`update users set hash = 'two'`),
    diskError,
    'another process reads the log',
  )
  file.reopen()
  await assert.rejects(file.flush(), diskError, 'a new connection does not make it better')
  other.exec('commit')
  assert.ok(statSync(log).size > 0)
  await file.flush()
  assert.equal(statSync(log).size, 0)

  await write(`update users set hash = 'three'`)
  assert.ok(statSync(log).size > 0)
})

test('a log in doubt is copied between two transactions, however many follow each other', async () => {
  await failFlush()
  const session = await driver.acquireConnection()
  await session.begin()
  const reached = file.flush()
  const next = commitSoon(`update users set hash = 'two'`)
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
  await reached
  await next
  await file.flush()
  assert.equal(findHash(), 'two')
})

test('a commit that no caller waits for reaches the disk by itself; an error of the disk is reported', async () => {
  await commitSoon(`update users set hash = 'one'`)
  file.reopen()
  renameSync(log, `${log}-away`)
  await until(() => idleErrors.length > 0, 'it is reported')
  assert.match(idleErrors[0]?.message ?? '', diskError)
  renameSync(`${log}-away`, log)

  await commitSoon(`update users set hash = 'two'`)
  await until(() => statSync(log).size === 0, 'the log is copied')
  assert.equal(idleErrors.length, 1, 'the log in doubt was copied into the database file')
})

test('closing waits until what was committed is on the disk', async () => {
  await commitSoon(`update users set hash = 'one'`)
  file.reopen()
  renameSync(log, `${log}-away`)
  await driver.destroy()
  assert.match(idleErrors[0]?.message ?? '', diskError)
})

test('a transaction that fails to begin, because another process writes, holds nothing up', async () => {
  const [first, second] = [await driver.acquireConnection(), await driver.acquireConnection()]
  other.exec('begin immediate')
  const began = first.begin()
  const next = second.begin()
  await setTimeout(20)
  other.exec('rollback')
  await began
  await driver.rollbackTransaction(first)
  await driver.releaseConnection(first)
  await next
  await driver.rollbackTransaction(second)
  await driver.releaseConnection(second)
  other.exec(`update users set hash = 'theirs'`)
  assert.equal(findHash(), 'theirs')
})

test('the error says why a file cannot be created', async () => {
  const path = join(folder, 'mailyard.db', 'inside', 'a-file.db')
  const reason = /its file cannot be created: ENOTDIR.*mailyard\.db/
  await assert.rejects(openFile(path), { kind: 'upstream', message: reason })
})

test('a transaction whose file goes away reports that, and leaves nothing', async () => {
  const path = join(folder, 'mailyard.db')
  file.check()
  const session = await driver.acquireConnection()
  await session.begin()
  const rename = () => session.executeQuery(CompiledQuery.raw(`update users set hash = 'new'`))
  await rename()
  renameSync(path, `${path}-away`)
  assert.throws(() => file.check(), { kind: 'upstream' })
  renameSync(`${path}-away`, path)
  const unavailable = { kind: 'upstream', message: /its file is gone/ }
  await assert.rejects(rename(), unavailable)
  await assert.rejects(driver.commitTransaction(session), unavailable)
  await driver.rollbackTransaction(session)
  await driver.releaseConnection(session)
  await write(`insert into users values ('next')`)
  assert.equal(findHash(), 'old')
})

const openFiles = '/proc/self/fd'

test('a file that cannot be opened leaves no open descriptor', {
  skip: !existsSync(openFiles),
}, async () => {
  const path = join(folder, 'damaged.db')
  writeFileSync(path, 'This is no database. '.repeat(500))
  const before = readdirSync(openFiles).length
  for (let time = 0; time < 20; time += 1) await assert.rejects(openFile(path))
  assert.equal(readdirSync(openFiles).length, before)
})

test('a closed driver does not open the file again', async () => {
  await driver.destroy()
  for (let round = 0; round < 3; round += 1) {
    assert.equal(findHash(), undefined)
    await assert.rejects(write(`update users set hash = 'late'`), /it is closed/)
  }
  assert.deepEqual({ ...other.prepare('select hash from users').get() }, { hash: 'old' })
})
