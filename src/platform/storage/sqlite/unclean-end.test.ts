import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { SqliteConnection } from './connection.ts'
import { checkFile, wasNotClosed } from './unclean-end.ts'

const folder = mkdtempSync(join(tmpdir(), 'mailyard-unclean-'))
after(() => rmSync(folder, { recursive: true }))

/** Creates a file with rows, and a copy of it and its log as a process that is killed leaves them. */
function createFiles(name: string) {
  const path = join(folder, `${name}.db`)
  const connection = new SqliteConnection(path, { canCreate: true })
  connection.exec('create table boxes (id integer primary key, text text)')
  for (let id = 1; id <= 50; id++)
    connection.run({ sql: 'insert into boxes values (?, ?)', parameters: [id, 'x'.repeat(3_000)] })
  const killed = join(folder, `${name}-killed.db`)
  copyFileSync(path, killed)
  copyFileSync(`${path}-wal`, `${killed}-wal`)
  connection.close()
  return { path, killed }
}

describe('a SQLite file at the start', () => {
  test('that was closed is not checked', () => {
    assert.equal(wasNotClosed(createFiles('closed').path), false)
    assert.equal(wasNotClosed(join(folder, 'missing.db')), false)
  })

  test('whose process was killed is found; a change that was not complete is no damage', async () => {
    const { killed } = createFiles('torn')
    assert.equal(wasNotClosed(killed), true)
    const log = `${killed}-wal`
    truncateSync(log, readFileSync(log).byteLength - 100)
    assert.deepEqual(await checkFile(killed), [])
  })

  test('that is damaged is described', async () => {
    const { path } = createFiles('damaged')
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4_096 * 3, 4_096 * 6)
    writeFileSync(path, bytes)
    const faults = await checkFile(path)
    assert.ok(faults.length > 0)
  })
})
