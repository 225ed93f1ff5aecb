import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { lockServing } from '../../src/platform/storage/index.ts'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const { folder, remove } = createFolder()
const file = join(folder, 'data/mailyard.db')
const databaseUrl = `sqlite:${file}`
const copy = join(folder, 'copy.db')
const secret = 'S3cret-of-the-database'

/** Runs a command on the database of this file, or another one. */
function run(args: string[], url = databaseUrl, env: Record<string, string> = {}) {
  return runMailyard(args, { folder, databaseUrl: url, env })
}

/** Reads one value of a SQLite file. */
function read(path: string, statement: string): unknown {
  const database = new DatabaseSync(path)
  try {
    return Object.values(database.prepare(statement).get() ?? {})[0]
  } finally {
    database.close()
  }
}

const restoredMark = 'select is_restored from installation'
const names = `select group_concat(username) from users`

/** Names the user of the database. */
const rename = (name: string) => read(file, `update users set username = '${name}' returning id`)

describe('back-ups of the command line', { timeout: 120_000 }, () => {
  before(async () => {
    assert.equal((await run(['users', 'list'])).code, 3)
    assert.equal((await run(['migrate'])).code, 0)
    assert.equal((await run(['users', 'list'])).code, 0)
  })
  after(remove)

  test('a back-up of a served database is whole, for its owner only, and marked as a copy; the database is not', async () => {
    const lock = lockServing(databaseUrl)
    try {
      const { code, stdout, stderr } = await run(['backup', copy])
      assert.equal(code, 0, stderr)
      assert.match(stdout, /secret key is not in it/)
    } finally {
      lock.release()
    }
    assert.equal(statSync(copy).mode & 0o777, 0o600)
    assert.deepEqual([read(copy, restoredMark), read(file, restoredMark)], [1, 0])
    assert.equal(read(copy, names), 'admin')
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('copy')),
      ['copy.db'],
    )
  })

  test('a back-up does not replace a file, and needs a database', async () => {
    const before = readFileSync(copy)
    assert.equal((await run(['backup', copy])).code, 4)
    assert.deepEqual(readFileSync(copy), before)
    const missing = join(folder, 'none.db')
    assert.equal((await run(['backup', join(folder, 'new.db')], `sqlite:${missing}`)).code, 3)
    assert.equal((await run(['backup', join(folder, 'no/folder.db')])).code, 4)
  })

  test('a restore takes the place of the database, which is kept, and is marked as a copy until it is confirmed', async () => {
    rename('later')
    // What a killed process has left must not be written into the restored file.
    writeFileSync(`${file}-shm`, '')
    const { code, stdout, stderr } = await run(['restore', copy, '--json'])
    assert.equal(code, 0, stderr)
    const { before: kept } = JSON.parse(stdout)
    assert.equal(read(file, names), 'admin')
    assert.equal(read(kept, names), 'later')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(read(file, restoredMark), 1)
    const doctor = await run(['doctor'])
    assert.match(doctor.stdout, /FAIL installation: .*restored.*\n.*\n.*mailyard confirm/)
    assert.equal(doctor.code, 1)

    const confirmed = await run(['confirm'])
    assert.equal(confirmed.code, 0, confirmed.stderr)
    assert.equal(read(file, restoredMark), 0)
    assert.doesNotMatch((await run(['doctor'])).stdout, /installation/)
  })

  test('a restore makes a database where there is none', async () => {
    const elsewhere = join(folder, 'elsewhere/mailyard.db')
    const { code, stdout, stderr } = await run(['restore', copy, '--json'], `sqlite:${elsewhere}`)
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).before, null)
    assert.equal(read(elsewhere, restoredMark), 1)
  })

  test('a restore changes nothing while the database is served, or with a file that is no back-up', async () => {
    rename('served')
    const lock = lockServing(databaseUrl)
    try {
      assert.equal((await run(['restore', copy])).code, 4)
    } finally {
      lock.release()
    }
    const foreign = join(folder, 'foreign.db')
    read(foreign, 'create table migrations (id integer)')
    const text = join(folder, 'text.db')
    writeFileSync(text, 'This is no database. '.repeat(500))
    for (const name of [foreign, text]) assert.equal((await run(['restore', name])).code, 2, name)
    assert.equal((await run(['restore', join(folder, 'missing.db')])).code, 3)
    assert.equal(read(file, names), 'served')
    assert.deepEqual(
      readdirSync(join(folder, 'data')).filter((name) => name.includes('restoring')),
      [],
    )
  })

  test('on PostgreSQL, both commands print those of PostgreSQL without the password, and do nothing', async () => {
    const url = `postgres://mail:${secret}@db.example.com:5433/mailyard?sslmode=require`
    for (const command of ['backup', 'restore']) {
      const { code, stdout, stderr } = await run([command, 'mailyard.dump'], url)
      assert.equal(code, 1)
      assert.deepEqual(stdout.trim().split('\n'), [
        `pg_dump -Fc -f 'mailyard.dump' 'postgres://mail@db.example.com:5433/mailyard?sslmode=require'`,
        `pg_restore --no-owner -d 'postgres://mail@db.example.com:5433/mailyard?sslmode=require' 'mailyard.dump'`,
      ])
      assert.doesNotMatch(stdout + stderr, new RegExp(secret))
    }
  })
})
