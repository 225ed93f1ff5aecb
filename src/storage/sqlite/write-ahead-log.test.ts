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
  const first = log.reachDisk()
  appendFileSync(`${path}-wal`, 'y')
  const second = log.reachDisk()
  const third = log.reachDisk()
  assert.notEqual(first, second)
  assert.equal(second, third)
  const order: string[] = []
  await Promise.all([first.then(() => order.push('first')), third.then(() => order.push('third'))])
  assert.deepEqual(order, ['first', 'third'])
  log.close()
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
