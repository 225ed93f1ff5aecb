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
import { CompiledQuery } from 'kysely'
import { SqliteDriver } from './driver.ts'

let folder = ''
let log = ''
let driver: SqliteDriver
/** Another process on the same file. */
let other: DatabaseSync
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-driver-'))
  const path = join(folder, 'mailyard.db')
  log = `${path}-wal`
  driver = new SqliteDriver(path)
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
const diskError = /disk reports an error/
/** A commit whose flush fails; the disk is well again after it. */
const failFlush = async () => {
  await commitSoon(`update users set hash = 'one'`)
  driver.reopen()
  renameSync(log, `${log}-away`)
  await assert.rejects(driver.reachDisk(), diskError)
  renameSync(`${log}-away`, log)
}
const findHash = () => {
  const found = driver.readAtOnce<{ hash: string }>(CompiledQuery.raw('select hash from users'))
  return found?.row?.hash
}

test('what another process commits between two of our transactions is seen with its stamp, in the same turn', async () => {
  const [first, second] = [await driver.acquireConnection(), await driver.acquireConnection()]
  const before = driver.changeStamp()
  await first.begin()
  assert.equal(findHash(), 'old')
  await driver.rollbackTransaction(first)
  await driver.releaseConnection(first)
  other.exec(`update users set hash = 'new'`)
  await second.begin()
  assert.notEqual(driver.changeStamp(), before)
  assert.equal(findHash(), 'new')
  await driver.rollbackTransaction(second)
  await driver.releaseConnection(second)
})

test('a look-up sees nothing of a transaction that is open, and all of it once it is committed', async () => {
  const session = await driver.acquireConnection()
  assert.equal(findHash(), 'old')
  await session.begin()
  await session.executeQuery(CompiledQuery.raw(`update users set hash = 'new'`))
  const before = driver.changeStamp()
  assert.equal(findHash(), 'old')
  assert.equal(driver.changeStamp(), before)
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
  assert.equal(findHash(), 'new')
  assert.notEqual(driver.changeStamp(), before)
})

test('what was committed on a connection that was dropped is waited for all the same', async () => {
  await commitSoon(`update users set hash = 'new'`)
  driver.reopen()
  renameSync(log, `${log}-away`)
  await assert.rejects(driver.reachDisk(), diskError)
})

test('a log that could not be flushed is emptied into the database before anything is told to be on the disk', async () => {
  await failFlush()

  other.exec('begin')
  other.prepare('select * from users').all()
  await assert.rejects(write(`update users set hash = 'two'`), diskError, 'somebody reads the log')
  driver.reopen()
  await assert.rejects(driver.reachDisk(), diskError, 'a new connection does not make it better')
  other.exec('commit')
  assert.ok(statSync(log).size > 0)
  await driver.reachDisk()
  assert.equal(statSync(log).size, 0)

  await write(`update users set hash = 'three'`)
  assert.ok(statSync(log).size > 0)
})

test('a log in doubt is emptied between two transactions, however many follow each other', async () => {
  await failFlush()
  const session = await driver.acquireConnection()
  await session.begin()
  const reached = driver.reachDisk()
  const next = commitSoon(`update users set hash = 'two'`)
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
  await reached
  await next
  await driver.reachDisk()
  assert.equal(findHash(), 'two')
})

test('what is to be written at once is not, and leaves nothing behind, while another process writes or where it fails', async () => {
  const rename = (hash: string) =>
    driver.writeAtOnce((run) => {
      run(CompiledQuery.raw(`update users set hash = '${hash}'`))
      if (hash === 'bad') throw new Error('no')
      return run(CompiledQuery.raw('select hash from users'))
    })
  other.exec('begin immediate')
  assert.equal(rename('new'), undefined)
  other.exec('rollback')
  assert.equal(rename('bad'), undefined)
  assert.equal(findHash(), 'old')
  // Nothing is held up after that: neither the other process nor who waits for his turn here.
  other.exec(`update users set hash = 'theirs'`)
  await write(`update users set hash = 'ours'`)
  const before = driver.changeStamp()
  assert.deepEqual(rename('new'), { result: [{ hash: 'new' }] })
  assert.notEqual(driver.changeStamp(), before)
  assert.equal(findHash(), 'new')
})

test('what is written at once waits for whoever has his turn', async () => {
  const session = await driver.acquireConnection()
  await session.begin()
  assert.equal(
    driver.writeAtOnce(() => 'written'),
    undefined,
  )
  await driver.commitTransaction(session)
  await driver.releaseConnection(session)
  assert.deepEqual(
    driver.writeAtOnce(() => 'written'),
    { result: 'written' },
  )
})

test('where no file can be made, it is said why', async () => {
  const path = join(folder, 'mailyard.db', 'inside', 'a-file.db')
  const reason = /its file cannot be made: ENOTDIR.*mailyard\.db/
  await assert.rejects(new SqliteDriver(path).init(), { kind: 'upstream', message: reason })
})

test('a transaction whose file goes away in its midst says so, and leaves nothing', async () => {
  const path = join(folder, 'mailyard.db')
  driver.checkFile()
  const session = await driver.acquireConnection()
  await session.begin()
  const rename = () => session.executeQuery(CompiledQuery.raw(`update users set hash = 'new'`))
  await rename()
  renameSync(path, `${path}-away`)
  assert.throws(() => driver.checkFile(), { kind: 'upstream' })
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

test('a file that cannot be used is not held open by those who tried', {
  skip: !existsSync(openFiles),
}, async () => {
  const path = join(folder, 'damaged.db')
  writeFileSync(path, 'This is no database. '.repeat(500))
  const before = readdirSync(openFiles).length
  for (let time = 0; time < 20; time += 1) await assert.rejects(new SqliteDriver(path).init())
  assert.equal(readdirSync(openFiles).length, before)
})

test('a driver that was closed opens nothing again', async () => {
  await driver.destroy()
  for (let round = 0; round < 3; round += 1) {
    assert.equal(
      driver.writeAtOnce((run) => run(CompiledQuery.raw(`update users set hash = 'late'`))),
      undefined,
    )
    await assert.rejects(write(`update users set hash = 'late'`), /it is closed/)
  }
  assert.deepEqual({ ...other.prepare('select hash from users').get() }, { hash: 'old' })
})
