import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
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
  log.letGo()
  rmSync(folder, { recursive: true })
})

const isTold = (error: unknown) =>
  error instanceof AppError && error.kind === 'upstream' && /may or may not/.test(error.message)

test('whoever commits while others wait for the disk, waits for a flush that begins after that', async () => {
  const order: string[] = []
  const wait = (name: string) => log.reachDisk().then(() => order.push(name))
  log.noteCommit()
  const first = [wait('first'), wait('first')]
  log.noteCommit()
  const second = [wait('second'), wait('second')]
  await Promise.all(first)
  assert.deepEqual(order, ['first', 'first'])
  await Promise.all(second)
  assert.deepEqual(order, ['first', 'first', 'second', 'second'])
})

test('the log of a database behind a link is beside the database itself', async () => {
  const link = join(folder, 'link.db')
  symlinkSync(join(folder, 'mailyard.db'), link)
  const linked = new WriteAheadLog(link)
  linked.noteCommit()
  await linked.reachDisk()
  linked.letGo()
})

test('what is on the disk is not flushed again', async () => {
  log.noteCommit()
  await log.reachDisk()
  // Nothing could be flushed any more.
  log.letGo()
  rmSync(file)
  await log.reachDisk()
  log.noteCommit()
  await assert.rejects(log.reachDisk(), isTold)
})

test('a flush that failed is told to all who wait, also to those who wait for the one behind it', async () => {
  rmSync(file)
  log.noteCommit()
  const waits = [log.reachDisk(), log.reachDisk()]
  log.noteCommit()
  waits.push(log.reachDisk(), log.reachDisk())
  // The one behind it would succeed.
  writeFileSync(file, 'x')
  for (const { status, reason } of (await Promise.allSettled(waits)) as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected')
    assert.ok(isTold(reason))
  }
})

test('a log whose flush failed is not trusted until it has been emptied', async () => {
  rmSync(file)
  log.noteCommit()
  await assert.rejects(log.reachDisk(), isTold)
  writeFileSync(file, 'x')
  assert.ok(log.isDoubtful)
  await assert.rejects(log.reachDisk(), isTold)
  log.letGo()
  await assert.rejects(log.reachDisk(), isTold)
  log.noteEmptied()
  assert.ok(!log.isDoubtful)
  await log.reachDisk()
})

test('a log may be let go while a flush is under way, and another file come in its place', async () => {
  log.noteCommit()
  const flushed = log.reachDisk()
  log.letGo()
  await flushed
  rmSync(file)
  log.noteCommit()
  await assert.rejects(log.reachDisk(), isTold)
})

test('whoever asks again as soon as a flush has ended starts none beside the one that follows', async () => {
  for (let round = 0; round < 20; round += 1) {
    log.noteCommit()
    const again = log.reachDisk().then(() => {
      log.noteCommit()
      const third = log.reachDisk()
      // It would close the file under whichever of two flushes is still under way.
      log.letGo()
      return third
    })
    log.noteCommit()
    await Promise.all([again, log.reachDisk()])
  }
})
