import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createFolder, startMailyard } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

async function inFolder(work: (folder: string, path: string) => Promise<void>): Promise<void> {
  const { folder, remove } = createFolder()
  try {
    await work(folder, join(folder, 'mailyrad.db'))
  } finally {
    remove()
  }
}

const databaseUrl = 'sqlite:./mailyrad.db'

describe('a SQLite database that is not there', () => {
  for (const words of [
    'users list',
    'users password admin --password-file password',
    'clients create --name app',
    'secrets rotate',
    'secrets rewrap',
  ]) {
    test(`is reported by ${words}, and not created`, () =>
      inFolder(async (folder, path) => {
        const args = words.split(' ')
        const { code, stdout, stderr } = await runMailyard(args, { folder, databaseUrl })
        assert.deepEqual([code, stdout], [3, ''])
        assert.ok(stderr.startsWith(`error: Database ${path} was not found. `), stderr)
        assert.match(stderr, /MAILYARD_DATABASE_URL/)
        assert.deepEqual(readdirSync(folder), [])
      }))
  }

  for (const words of [
    'users add ann --email ann@example.com --role Administrator --password-file password',
    'migrate',
  ]) {
    test(`is created by ${words}, which names the file once and prints only JSON`, () =>
      inFolder(async (folder, path) => {
        writeFileSync(join(folder, 'password'), 'long enough')
        const args = [...words.split(' '), '--json']
        const first = await runMailyard(args, { folder, databaseUrl })
        assert.equal(first.code, 0, first.stderr)
        assert.ok(first.stderr.includes(`A new database was created: ${path}\n`), first.stderr)
        assert.equal(typeof JSON.parse(first.stdout), 'object')
        assert.ok(existsSync(path))
        const { stderr } = await runMailyard(args, { folder, databaseUrl })
        assert.equal(stderr, '')
      }))
  }

  test('is created by serve, which names the file once', () =>
    inFolder(async (folder, path) => {
      const said = { msg: 'database created', path }
      for (const expected of [[said], []]) {
        const mailyard = await startMailyard({ folder, databaseUrl })
        await mailyard.stop()
        const lines = mailyard.output().split('\n')
        const logged = lines.flatMap((line) => {
          if (!line.includes(said.msg)) return []
          const { msg, path } = JSON.parse(line)
          return [{ msg, path }]
        })
        assert.deepEqual(logged, expected)
      }
    }))
})
