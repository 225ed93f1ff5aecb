import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '../../src/app.ts'
import { createLog } from '../../src/kit/log.ts'
import { defaultConfig } from '../../src/platform/config/index.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { loadDump, openOnDump, runStatements } from './load-dump.ts'
import { readSchema } from './read-schema.ts'

async function readSchemaOf(database: TestDatabase): Promise<string[]> {
  const config = { ...defaultConfig(), databaseUrl: database.url }
  const { storage } = await openDatabase({ config, log: createLog('silent') })
  try {
    return await readSchema(storage)
  } finally {
    await storage.close()
  }
}

for (const { name, create } of testDatabases)
  describe(`a database of 28 November 2026 on ${name}`, () => {
    let old: TestDatabase
    before(async () => {
      old = await create()
      await loadDump(old)
    })
    after(() => old.drop())

    test('has the schema of a new database once it is migrated', async (context) => {
      const fresh = await create()
      context.after(() => fresh.drop())
      assert.deepEqual(await readSchemaOf(old), await readSchemaOf(fresh))
    })

    test('is served: its records are read, and its secrets are decrypted', async (context) => {
      const service = await openOnDump(old, { isStarted: false })
      context.after(() => service.close())
      const read = async (path: string) => {
        const { status, body, text } = await service.ask('GET', path)
        assert.equal(status, 200, `${path}: ${text}`)
        return body
      }
      const transports = await read('/api/multipleTransports')
      assert.deepEqual(
        transports.map(({ mailerDsn }: { mailerDsn: string }) => mailerDsn),
        ['inbox://local', 'smtp://user:S3cret@127.0.0.1:1', 'postmark+api://S3cret@default'],
      )
      assert.equal((await read('/api/emails/1')).email.subject, 'Welcome')
      assert.equal((await read('/api/contacts')).total, 6)
      assert.equal((await read('/api/twigTemplates')).total, 1)
      const records = ['users', 'roles', 'oauthClients', 'limits', 'suppressions', 'dkimKeys']
      const others = ['webhooks', 'mautics', 'inbox', 'deliveries', 'senders', 'health/findings']
      for (const path of [...records, ...others]) await read(`/api/${path}`)
      const { messages } = await read('/api/queue/messages?recipient=waits@example.com')
      const subjects = messages.map(({ subject }: { subject: string }) => subject)
      assert.deepEqual(subjects, ['Waits'])
    })

    test('is refused with a sentence if a version of an earlier day has made it', async (context) => {
      const older = await create()
      context.after(() => older.drop())
      await loadDump(older)
      await runStatements(
        older,
        `alter table queue_brakes drop column continued_at;
        delete from migrations where name = '20261127_40_event_brakes'`,
      )
      await assert.rejects(readSchemaOf(older), /was made before 28 November 2026/)
    })
  })
