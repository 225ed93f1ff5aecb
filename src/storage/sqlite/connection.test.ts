import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { SqliteConnection } from './connection.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-connection-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a log that could not be flushed is emptied into the database before anything is told to be on the disk', async () => {
  const path = join(folder, 'mailyard.db')
  const connection = new SqliteConnection(path, true)
  const write = (text: string) => {
    connection.run({ sql: 'insert into lines values (?)', parameters: [text] })
    connection.noteCommit()
  }
  connection.run({ sql: 'create table lines (text text)', parameters: [] })
  renameSync(`${path}-wal`, `${path}-away`)
  write('one')
  await assert.rejects(connection.reachDisk(), /disk reports an error/)
  renameSync(`${path}-away`, `${path}-wal`)

  const other = new SqliteConnection(path, false)
  other.beginRead()
  other.first({ sql: 'select * from lines', parameters: [] })
  write('two')
  await assert.rejects(connection.reachDisk(), /disk reports an error/, 'somebody reads the log')
  other.endRead()
  assert.ok(statSync(`${path}-wal`).size > 0)
  await connection.reachDisk()
  assert.equal(statSync(`${path}-wal`).size, 0)
  write('three')
  await connection.reachDisk()
  assert.ok(statSync(`${path}-wal`).size > 0)
  other.close()
  connection.close()
})
