import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WebhookTables } from '../../src/modules/webhooks/table.ts'
import { openStorage } from '../../src/platform/storage/index.ts'
import { testDatabases } from '../databases.ts'
import { apiSettings, startMailyard } from '../mailyard-process.ts'
import { until } from '../until.ts'
import { openWebhookReceiver } from '../webhook-receiver.ts'
import { ask } from './client.ts'

const messages = 5

for (const { name, createMigrated } of testDatabases) {
  describe(`killed while messages to a webhook wait, on ${name}`, () => {
    test('what was requested is repeated with the same webhook-id, and what was not is sent once', async () => {
      const database = await createMigrated()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const options = { databaseUrl: database.url, env: apiSettings }
      const receiver = await openWebhookReceiver({ status: null })
      const killed = await startMailyard(options)
      const webhook = { name: 'Shop', url: receiver.url, events: ['suppression.created'] }
      await ask(killed, '/api/webhooks/new', { method: 'POST', body: webhook })
      const suppressions = Array.from({ length: messages }, (_, index) => ({
        address: `reader${index}@rcpt.test`,
      }))
      await ask(killed, '/api/suppressions/batch/new', { method: 'POST', body: suppressions })
      await until(() => receiver.requests.length === 1, 'the first is requested')
      killed.kill('SIGKILL')
      await killed.ended
      // As after the two minutes for which the killed process has claimed it.
      const stored = storage.tables<WebhookTables>()
      await stored.updateTable('webhook_messages').set({ due_at: 0 }).execute()
      receiver.status = 200
      const service = await startMailyard(options)
      const query = stored.selectFrom('webhook_messages').select(['message_id', 'body', 'state'])
      const findDone = async () => (await query.execute()).filter(({ state }) => state === 'done')
      await until(async () => (await findDone()).length === messages, 'all are done')
      const sent = (await findDone()).map(
        ({ message_id: id, body }) => `${id} ${JSON.parse(body).data.address}`,
      )
      const [first = '', ...repeated] = receiver.requests.map(
        ({ headers, body }) => `${String(headers['webhook-id'])} ${JSON.parse(body).data.address}`,
      )
      assert.deepEqual(repeated.toSorted(), sent.toSorted())
      assert.ok(repeated.includes(first))
      await service.stop()
      await storage.close()
      await database.drop()
      receiver.close()
    })
  })
}
