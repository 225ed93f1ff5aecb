import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { quickIntervals } from '../../../test/broadcasts/broadcast-fixture.ts'
import { useScriptedServer } from '../../../test/broadcasts/scripted-server.ts'
import { addTransport } from '../../../test/callers.ts'
import { testDatabases } from '../../../test/databases.ts'
import { openPostgresProxy } from '../../../test/postgres-proxy.ts'
import { openDialogue } from '../../../test/smtp-dialogue.ts'
import { openTestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'
import type { QueueTables } from './table.ts'

// SQLite runs in the process: no answer is lost.
for (const { name, createMigrated } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  describe(`a message whose storing the database has not answered, on ${name}`, () => {
    const server = useScriptedServer()

    test('is delivered once, when the client has submitted it again', async (context) => {
      const database = await createMigrated()
      const proxy = await openPostgresProxy(database.url)
      const service = await openTestApp({
        database: { ...database, url: proxy.url },
        intervals: quickIntervals,
        config: { smtpMode: 'queue' },
      })
      const { name: transport } = await addTransport(service, { mailerDsn: server.dsn })
      const client = await openDialogue((await service.openSmtpServer()).port ?? 0)
      context.after(async () => {
        client.destroy()
        await service.close()
        await proxy.close()
        await database.drop()
      })
      await client.say('EHLO client.test')
      assert.match(await client.logIn('admin', adminPassword), /^235 /)
      const raw = `From: a@b.test\r\nX-Mailyard-Transport: ${transport}\r\nMessage-ID: <1@lost.test>\r\n\r\nHello`
      const submit = () => client.hand({ to: ['ann@lost.test'], raw })
      proxy.loseNextCommit()
      assert.match(await submit(), /^4/)
      assert.match(await submit(), /^250 /)
      const queued = service.app.storage.tables<QueueTables>().selectFrom('queue_recipients')
      const isEmpty = async () => (await queued.select('id').execute()).length === 0
      await until(isEmpty, 'it leaves the queue')
      assert.deepEqual(server.taken, ['ann@lost.test'])
    })
  })
