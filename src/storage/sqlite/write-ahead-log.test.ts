import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('whoever commits while others wait for the disk, waits for a flush that begins after that', async () => {
  const path = join(folder, 'mailyard.db')
  writeFileSync(`${path}-wal`, 'x')
  const log = new WriteAheadLog(path)
  const order: string[] = []
  const wait = (name: string) => log.reachDisk().then(() => order.push(name))
  const first = [wait('first'), wait('first')]
  appendFileSync(`${path}-wal`, 'y')
  log.noteCommit()
  const second = [wait('second'), wait('second')]
  await Promise.all(first)
  assert.deepEqual(order, ['first', 'first'])
  await Promise.all(second)
  assert.deepEqual(order, ['first', 'first', 'second', 'second'])
  log.close()
})

test('what is on the disk is not flushed again', async () => {
  const path = join(folder, 'mailyard.db')
  writeFileSync(`${path}-wal`, 'x')
  const log = new WriteAheadLog(path)
  await log.reachDisk()
  // Nothing could be flushed any more.
  log.close()
  rmSync(`${path}-wal`)
  await log.reachDisk()
  log.noteCommit()
  await assert.rejects(log.reachDisk())
})

test('a log that cannot be flushed is told, and not as if nothing were saved, each time until it can', async () => {
  const path = join(folder, 'mailyard.db')
  const log = new WriteAheadLog(path)
  const isTold = (error: unknown) =>
    error instanceof AppError && error.kind === 'upstream' && /may or may not/.test(error.message)
  const both = [log.reachDisk(), log.reachDisk()]
  for (const each of both) await assert.rejects(each, isTold)
  writeFileSync(`${path}-wal`, 'x')
  await log.reachDisk()
  log.close()
})

test('a log may be closed while a flush is under way', async () => {
  const path = join(folder, 'mailyard.db')
  writeFileSync(`${path}-wal`, 'x')
  const log = new WriteAheadLog(path)
  const flushed = log.reachDisk()
  log.close()
  await flushed
})
