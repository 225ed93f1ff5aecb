import assert from 'node:assert/strict'
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { addTransport } from '../callers.ts'
import { testDatabases } from '../databases.ts'
import { startDnsServer } from '../dns-server.ts'
import { createFolder, startMailyard } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'
import { openTestApp } from '../test-app.ts'

interface Finding {
  check: string
  severity: 'ok' | 'warning' | 'problem'
  detail: string
  fix: string | null
}

type Environment = Record<string, string>

/** Whatever else runs on this machine. */
const freePorts = { MAILYARD_PORT: '0', MAILYARD_SMTP_PORT: '0' }

/** What `mailyard doctor --json` finds in a folder. */
async function examine(folder: string, env: Environment = {}) {
  const options = { folder, env: { ...freePorts, ...env } }
  const { code, stdout, stderr } = await runMailyard(['doctor', '--json'], options)
  const output = stdout + stderr
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  const faults = findings.filter(({ severity }) => severity === 'problem')
  return { code, findings, faults, output }
}

const used = createFolder()

before(async () => {
  await (await startMailyard({ folder: used.folder })).stop()
})
after(used.remove)

/** A copy of a folder in which Mailyard has run once. */
async function inUsedFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const { folder, remove } = createFolder()
  try {
    cpSync(used.folder, folder, { recursive: true, preserveTimestamps: true })
    await work(folder)
  } finally {
    remove()
  }
}

/** Its log would mend it again. */
function spoilDatabase(folder: string): void {
  for (const name of readdirSync(join(folder, 'data'))) {
    if (/-(wal|shm)$/.test(name)) rmSync(join(folder, 'data', name))
  }
  writeFileSync(join(folder, 'data/mailyard.db'), 'no database '.repeat(100))
}

/** As a version of Mailyard that is still to come would leave it. */
function upgradeDatabase(folder: string): void {
  const database = new DatabaseSync(join(folder, 'data/mailyard.db'))
  database.exec(`insert into migrations values ('99.00.00_later', '2999-01-01')`)
  database.close()
}

const secretKey = 'a secret key for tests, of 32 characters or more'

describe('mailyard doctor', () => {
  test('finds no problem in a valid installation', () =>
    inUsedFolder(async (folder) => {
      const { code, faults } = await examine(folder)
      assert.equal(code, 0)
      assert.deepEqual(faults, [])
    }))

  test('names the log-in of the default transport that has ended, without its password', () =>
    inUsedFolder(async (folder) => {
      const env = { MAILYARD_MAILER_DSN: 'gmail://me%40gmail.com:S3cret@default' }
      const { code, faults, output } = await examine(folder, env)
      assert.equal(code, 1)
      const [fault] = faults
      assert.equal(fault?.check, 'default transport')
      assert.match(fault.detail, /gmail\+oauth:\/\//)
      assert.ok(!output.includes('S3cret'))
    }))

  test('warns that mail is sent to allowed recipients only', () =>
    inUsedFolder(async (folder) => {
      const { code, findings } = await examine(folder, {
        MAILYARD_ALLOWED_RECIPIENTS: 'staff.test',
      })
      const found = findings.find(({ check }) => check === 'recipients restricted')
      assert.deepEqual([code, found?.severity], [0, 'warning'])
      assert.match(found?.detail ?? '', /^Mail is sent to staff\.test only/)
    }))

  test('creates no files before the first start, and shows no password', async () => {
    const { folder, remove } = createFolder()
    try {
      const { code, output } = await examine(folder)
      assert.equal(code, 0, output)
      assert.ok(!output.includes('password'), output)
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      remove()
    }
  })

  test('names a DKIM key whose record is gone, and a From domain that is not believed', async (t) => {
    const dns = await startDnsServer({ '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] } })
    t.after(() => dns.close())
    const service = await openTestApp({
      config: { dnsServers: [dns.address] },
    })
    t.after(() => service.close())
    const values = { domain: 'key.example', algorithm: 'ed25519' }
    const created = await service.ask('POST', '/api/dkimKeys/new', values)
    const { id, record } = created.body.dkimKey
    const check = async () =>
      (await service.askFor('POST', `/api/dkimKeys/${id}/check`)).dkimKey.isActive
    dns.set(record.name, 'TXT', [record.value])
    assert.equal(await check(), true)
    dns.set(record.name, 'TXT', [])
    await check()
    const transport = await addTransport(service, {
      mailerDsn: 'resend+api://re_KEY@default',
      testedEmailFrom: 'news@brand.example',
    })
    const path = `/api/senders/brand.example/check?transport=${transport.id}`
    const { body } = await service.ask('POST', path)
    assert.equal(body.sender.transports[0].verdict, 'notAligned')
    const { folder, remove } = createFolder()
    t.after(remove)
    const env = { MAILYARD_DATABASE_URL: service.database.url, MAILYARD_SECRET_KEY: secretKey }
    const { code, faults, output } = await examine(folder, env)
    assert.equal(code, 1, output)
    const detailOf = (name: string) => faults.find((each) => each.check === name)?.detail ?? ''
    assert.match(detailOf('DKIM keys'), /signatures of key\.example/)
    assert.match(detailOf('senders'), new RegExp(`brand\\.example .*"${transport.name}"`))
  })

  test('leaves an empty PostgreSQL as it is', async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    const database = await postgres?.create()
    assert.ok(database !== undefined)
    const { folder, remove } = createFolder()
    const env = { MAILYARD_DATABASE_URL: database.url, MAILYARD_SECRET_KEY: secretKey }
    try {
      for (let times = 0; times < 2; times++) {
        const { code, findings } = await examine(folder, env)
        assert.equal(code, 0)
        const found = findings.find(({ check }) => check === 'database')?.detail ?? ''
        assert.match(found, /PostgreSQL .*The next start runs \d+ migrations/)
      }
    } finally {
      remove()
      await database.drop()
    }
  })

  const faults: Record<
    string,
    [check: string, fix: RegExp, env: Environment, spoil?: (folder: string) => void]
  > = {
    'a setting that cannot be read': ['configuration', /configuration\.md/, { MAILYARD_PORT: 'x' }],
    'a key file that others can read': [
      'key file',
      /^chmod 600 .*mailyard\.key$/,
      {},
      (folder) => chmodSync(join(folder, 'data/mailyard.key'), 0o644),
    ],
    'a key file that is gone': [
      'key file',
      /MAILYARD_SECRET_KEY .*if-this-disk-dies\.md/,
      {},
      (folder) => rmSync(join(folder, 'data/mailyard.key')),
    ],
    'another secret key': [
      'secrets',
      /secret key that this database was created with/,
      { MAILYARD_SECRET_KEY: secretKey },
    ],
    'a file that is no database': ['database', /MAILYARD_DATABASE_URL/, {}, spoilDatabase],
    'a database of a newer Mailyard': ['database', /newer Mailyard/, {}, upgradeDatabase],
    'a database that does not answer': [
      'database',
      /MAILYARD_DATABASE_URL/,
      {
        MAILYARD_DATABASE_URL: 'postgres://u:PgS3cret@127.0.0.1:1/db',
        MAILYARD_SECRET_KEY: secretKey,
      },
    ],
    'PostgreSQL without a secret key': [
      'secret key',
      /openssl rand -base64 32/,
      { MAILYARD_DATABASE_URL: 'postgres://u:PgS3cret@127.0.0.1:1/db' },
    ],
  }
  for (const [name, [check, fix, env, spoil]] of Object.entries(faults)) {
    test(`says how to mend ${name}`, () =>
      inUsedFolder(async (folder) => {
        spoil?.(folder)
        const { code, faults: found, output } = await examine(folder, env)
        assert.equal(code, 1, output)
        const finding = found.find((each) => each.check === check)
        assert.match(finding?.fix ?? '', fix, output)
        assert.ok(!output.includes('PgS3cret'), output)
      }))
  }
})
