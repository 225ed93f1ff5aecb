import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { testDatabases } from '../databases.ts'
import { apiSettings, createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const { folder, remove } = createFolder()
mkdirSync(join(folder, 'directory.db'))
writeFileSync(join(folder, 'text.db'), 'This is no database. '.repeat(1_000))
writeFileSync(join(folder, 'file'), '')
const password = 'pass%20word'

after(remove)

const sqlite: [path: string, problem: RegExp][] = [
  ['directory.db', /directory\.db cannot be used: it is a folder\. .*MAILYARD_DATABASE_URL/],
  ['text.db', /text\.db cannot be used: it is not a SQLite database\. .*MAILYARD_DATABASE_URL/],
  ['file/mailyard.db', /mailyard\.db cannot be used: .* not a folder\. .*MAILYARD_DATABASE_URL/],
  ['file/sub/mailyard.db', /mailyard\.db cannot be used: .* not a folder\./],
  ['/proc/mailyard.db', /\/proc\/mailyard\.db cannot be used: /],
]

describe('a database that cannot be opened is named, with what to do', { timeout: 120_000 }, () => {
  for (const [index, [path, problem]] of sqlite.entries())
    test(`the SQLite file ${path}`, async () => {
      await fails(index % 2 === 0 ? 'serve' : 'migrate', `sqlite:${path}`, problem)
    })

  test('PostgreSQL that is not there, or refuses', async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    const database = await postgres?.create()
    const right = new URL(database?.url ?? '')
    const url = (change: (url: URL) => void) => {
      const changed = new URL(right)
      changed.password = password
      change(changed)
      return changed.href
    }
    const cases: [string, RegExp][] = [
      [
        url((one) => {
          one.port = '1'
        }),
        /at \S+:1 .*cannot be used: nothing listens there\. Start/,
      ],
      [
        url((one) => (one.hostname = 'no.invalid')),
        /at no\.invalid:\d+ .*: the host (is unknown|cannot be looked up)/,
      ],
      [
        url((one) => {
          one.pathname = '/nothing'
          one.password = right.password
        }),
        /"nothing" at .*: the database does not exist\. Create it/,
      ],
    ]
    for (const [databaseUrl, problem] of cases) await fails('serve', databaseUrl, problem)
    await database?.drop()
  })
})

async function fails(command: string, databaseUrl: string, problem: RegExp): Promise<void> {
  const options = { folder, databaseUrl, env: { ...apiSettings, MAILYARD_PORT: '0' } }
  const { code, stdout, stderr } = await runMailyard([command], options)
  assert.equal(code, 5, stderr)
  assert.match(stderr, problem)
  assert.doesNotMatch(stderr + stdout, /pass.{1,3}word|try again in a moment|\n {4}at /)
}
