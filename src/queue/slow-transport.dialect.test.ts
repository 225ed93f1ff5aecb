import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { addTransport } from '../../test/callers.ts'
import { testDatabases } from '../../test/databases.ts'
import { startScriptedServer } from '../../test/scripted-server.ts'
import { type Dialogue, openDialogue } from '../../test/smtp-dialogue.ts'
import { openTestApp } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

/** More than are sent at a time. */
const slowCount = 130
const fastCount = 20

for (const { name, createMigrated } of testDatabases)
  describe(`the queue with a slow transport and a fast one, on ${name}`, () => {
    const open = async (context: TestContext, { isStarted }: { isStarted: boolean }) => {
      const [slow, fast] = [await startScriptedServer(), await startScriptedServer()]
      const gate = Promise.withResolvers<void>()
      const database = await createMigrated()
      const config = { smtpMode: 'queue' as const }
      const service = await openTestApp({ database, config, isStarted })
      const { port = 0 } = await service.openSmtpServer()
      const clients = await Promise.all(Array.from({ length: 10 }, () => openDialogue(port)))
      context.after(async () => {
        for (const client of clients) client.destroy()
        gate.resolve()
        await service.close()
        await database.drop()
        await Promise.all([slow.stop(), fast.stop()])
      })
      for (const client of clients) {
        await client.say('EHLO client.test')
        await client.logIn('admin', adminPassword)
      }
      const { id: slowId } = await addTransport(service, { name: 'Slow', mailerDsn: slow.dsn })
      await addTransport(service, { name: 'Fast', mailerDsn: fast.dsn })
      const submit = async (transport: string, count: number) => {
        const left = Array.from({ length: count }, (_, index) => `${index}@${transport}.test`)
        const submitAll = async (client: Dialogue) => {
          for (let to = left.pop(); to !== undefined; to = left.pop()) {
            const head = `From: a@b.test\r\nX-Mailyard-Transport: ${transport}\r\nMessage-ID: <${to}>`
            assert.match(await client.hand({ to: [to], raw: `${head}\r\n\r\nHello` }), /^250 /)
          }
        }
        await Promise.all(clients.map(submitAll))
      }
      return { slow, slowId, fast, gate, service, submit }
    }

    for (const isStarted of [true, false])
      test(`sends ${isStarted ? 'new' : 'stored'} messages of the fast one while the slow one does not answer`, async (context) => {
        const { slow, fast, gate, service, submit } = await open(context, { isStarted })
        slow.gate = gate.promise
        await submit('Slow', slowCount)
        await submit('Fast', fastCount)
        if (!isStarted) await service.app.start()
        await until(() => fast.taken.length === fastCount, 'the fast messages are sent')
        assert.equal(slow.taken.length, 0)
        gate.resolve()
        await service.app.idle()
        assert.deepEqual([slow.taken.length, new Set(slow.taken).size], [slowCount, slowCount])
      })

    test('sends messages of the fast one while those of the slow one wait for its limit', async (context) => {
      const { slow, slowId, fast, service, submit } = await open(context, { isStarted: false })
      const limit = { name: 'Slow', transports: [slowId], perSecond: 1 }
      assert.equal((await service.ask('POST', '/api/limits/new', limit)).status, 201)
      await submit('Slow', slowCount)
      await submit('Fast', fastCount)
      await service.app.start()
      await until(() => fast.taken.length === fastCount, 'the fast messages are sent')
      assert.ok(slow.taken.length < slowCount)
      await service.ask('POST', '/api/queue/cancel', { all: true })
    })
  })
