import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../../kit/app-error.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

let folder = ''
let log: WriteAheadLog
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-log-'))
  log = new WriteAheadLog(join(folder, 'mailyard.db'))
  writeFileSync(join(folder, 'mailyard.db'), '')
  file = join(folder, 'mailyard.db-wal')
  writeFileSync(file, 'x')
})
afterEach(() => {
  log.close()
  rmSync(folder, { recursive: true })
})

const isDiskError = (error: unknown) =>
  error instanceof AppError && error.kind === 'upstream' && /may or may not/.test(error.message)

test('a commit during an fsync waits for the next fsync', async () => {
  const order: string[] = []
  const wait = (name: string) => log.flush().then(() => order.push(name))
  log.noteCommit()
  const first = [wait('first'), wait('first')]
  log.noteCommit()
  const second = [wait('second'), wait('second')]
  await Promise.all(first)
  assert.deepEqual(order, ['first', 'first'])
  await Promise.all(second)
  assert.deepEqual(order, ['first', 'first', 'second', 'second'])
})

test('the log of a database behind a symbolic link is beside the database itself', async () => {
  const link = join(folder, 'link.db')
  symlinkSync(join(folder, 'mailyard.db'), link)
  const linked = new WriteAheadLog(link)
  linked.noteCommit()
  await linked.flush()
  linked.close()
})

test('commits that are on the disk are not flushed again', async () => {
  log.noteCommit()
  await log.flush()
  // Nothing could be flushed any more.
  log.close()
  rmSync(file)
  await log.flush()
  log.noteCommit()
  await assert.rejects(log.flush(), isDiskError)
})

test('an fsync that fails rejects all that wait, also those that wait for the next fsync', async () => {
  rmSync(file)
  log.noteCommit()
  const waits = [log.flush(), log.flush()]
  log.noteCommit()
  waits.push(log.flush(), log.flush())
  // The one behind it would succeed.
  writeFileSync(file, 'x')
  for (const { status, reason } of (await Promise.allSettled(waits)) as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected')
    assert.ok(isDiskError(reason))
  }
})

test('a log whose fsync failed is in doubt until it has been copied into the database file', async () => {
  rmSync(file)
  log.noteCommit()
  await assert.rejects(log.flush(), isDiskError)
  writeFileSync(file, 'x')
  assert.ok(log.isInDoubt)
  await assert.rejects(log.flush(), isDiskError)
  log.close()
  await assert.rejects(log.flush(), isDiskError)
  log.noteCopied()
  assert.ok(!log.isInDoubt)
  await log.flush()
})

test('a log may be closed during an fsync, and another file take its place', async () => {
  log.noteCommit()
  const flushed = log.flush()
  log.close()
  await flushed
  rmSync(file)
  log.noteCommit()
  await assert.rejects(log.flush(), isDiskError)
})

test('a flush right after the end of an fsync starts none beside the one that follows', async () => {
  for (let round = 0; round < 20; round += 1) {
    log.noteCommit()
    const again = log.flush().then(() => {
      log.noteCommit()
      const third = log.flush()
      // Otherwise it would close the file while one of two flushes still runs.
      log.close()
      return third
    })
    log.noteCommit()
    await Promise.all([again, log.flush()])
  }
})
