import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { resealSigningKeys } from '../../src/platform/storage/index.ts'
import { getClientToken } from '../callers.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { openMailServer } from '../mail-server.ts'
import { openTestApp, type TestApp, type TestBody } from '../test-app.ts'
import { kindOf, loadDump } from './dump.ts'
import { secrets, upgradeOptions } from './example-records.ts'
import { readSchema } from './read-schema.ts'

const versions = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

/** A list of each kind of record, and what the database of a release has in it. */
const lists: readonly [path: string, property: string, values: readonly unknown[]][] = [
  ['brands', 'name', ['Shop']],
  ['roles', 'name', ['Administrator', 'Editors']],
  ['users', 'username', ['admin', 'ann']],
  ['oauthClients', 'name', ['CRM']],
  ['multipleTransports?deleted=1', 'name', ['Deleted']],
  ['twigTemplates', 'template', ['Kind regards']],
  ['twigTemplates?deleted=1', 'name', ['Deleted']],
  ['emails?deleted=1', 'name', ['Deleted']],
  ['contacts?deleted=1', 'id', [2]],
  ['limits', 'name', ['Daily']],
  ['suppressions', 'address', ['carla@rcpt.test']],
  ['dkimKeys', 'domain', ['brand.test']],
  ['webhooks', 'url', ['http://127.0.0.1:1/S3cret']],
  ['webhooks/1/messages', 'type', ['suppression.created']],
  ['multipleTransports/2/webhooks', 'provider', ['postmark']],
  ['mautics', 'name', ['shop']],
  ['inbox', 'transport', ['Inbox', 'Inbox']],
  ['deliveries?recipient=jane@rcpt.test', 'event', ['delivered']],
  ['queue/messages', 'recipient', ['held@rcpt.test', 'queued@rcpt.test', 'uncertain@rcpt.test']],
  ['queue/messages?state=held', 'recipient', ['held@rcpt.test']],
  ['queue/messages?state=uncertain', 'recipient', ['uncertain@rcpt.test']],
]

const isObject = (value: unknown): value is object => typeof value === 'object'

for (const { name, create } of testDatabases)
  for (const version of versions)
    describe(`a database of ${version} on ${name}`, () => {
      let database: TestDatabase
      let service: TestApp
      before(async () => {
        database = await create()
        const file = join(import.meta.dirname, version, `${kindOf(database)}.sql`)
        await loadDump(database, readFileSync(file, 'utf8'))
        service = await openTestApp({
          database,
          isBackedUp: true,
          isStarted: false,
          ...upgradeOptions(),
        })
      })
      after(async () => {
        await service.close()
        await database.drop()
      })
      const read = (path: string): Promise<TestBody> => service.askFor('GET', `/api/${path}`)

      test('has the schema of a new database', async (context) => {
        const fresh = await openTestApp({ database: await create(), isStarted: false })
        context.after(async () => {
          await fresh.close()
          await fresh.database.drop()
        })
        const { storage } = service.app
        assert.deepEqual(await readSchema(storage), await readSchema(fresh.app.storage))
      })

      test('is served with each kind of record', async () => {
        for (const [path, property, values] of lists) {
          const body = await read(path)
          // A bare array, or the first list of the answer, which Mautic's kinds have by id.
          const list = Array.isArray(body) ? body : Object.values(body).find(isObject)
          const records: TestBody[] = Object.values(list ?? {})
          assert.deepEqual(records.map((each) => each[property]).sort(), values, path)
        }
        const { email } = await read('emails/2')
        assert.deepEqual([email.name, email.brand, email.headers], ['Order', 1, { 'X-Shop': '1' }])
        const { contact } = await read('contacts/1')
        assert.deepEqual([contact.fields.core.email.value, contact.owner.id], ['jane@rcpt.test', 2])
        const assigned = await read('multipleTransport/transportEmail/2')
        assert.equal(assigned.transportEmail.transport.name, 'Inbox')
      })

      test('has secrets that can be decrypted, and log-ins that are let in', async () => {
        const transports: TestBody[] = await read('multipleTransports')
        assert.deepEqual(
          transports.slice(0, 3).map(({ mailerDsn }) => mailerDsn),
          ['inbox://local', secrets.dsn, secrets.closedDsn],
        )
        assert.match((await service.ask('GET', '/api/inbox/1/source')).text, /Subject/)
        await service.askFor('GET', '/api/users/self', undefined, { as: ['ann', secrets.password] })
        await getClientToken(service, secrets.client)
        // What cannot be decrypted keeps its data key.
        const { app } = service
        const keyId = await app.keyring.rotate()
        const resealed = [
          await app.transports.reseal(),
          await app.mautics.reseal(),
          await resealSigningKeys(app.storage, app.keyring),
        ]
        for (const each of app.modules) resealed.push((await each.reseal?.()) ?? [])
        assert.deepEqual([...new Set(resealed.flat())], [keyId])
      })

      test('sends the messages that wait in it', async (context) => {
        const server = await openMailServer()
        context.after(() => server.close())
        await service.app.start()
        // A dump of PostgreSQL is a copy.
        await service.askFor('POST', '/api/installation/confirm')
        const mailerDsn = `smtp://127.0.0.1:${server.port}`
        await service.askFor('PATCH', '/api/multipleTransports/3/edit', { mailerDsn })
        const { messages } = await read('queue/messages?recipient=held@rcpt.test')
        await service.askFor('POST', `/api/queue/messages/${messages[0].id}/release`)
        await service.ask('POST', '/api/queue/retry', {})
        await service.app.idle()
        assert.deepEqual(server.received.map(({ to: [to] }) => to).sort(), [
          'held@rcpt.test',
          'queued@rcpt.test',
        ])
      })
    })
