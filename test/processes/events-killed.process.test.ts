import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import type { DeliveryTables } from '../../src/core/delivery/index.ts'
import { emptyDelivery } from '../../src/core/delivery/log/delivery-row.ts'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import { testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { createKeyPair, publicUrl, signedHeaders } from '../transport-webhooks.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'
import { ask } from './client.ts'

const kills = volume({ short: 2, full: 20 })
const messages = 2_000
const eventsPerRequest = 250
/** One in so many bounces for good. */
const bouncedOneIn = 10

/** What the provider has to tell, and where. */
interface Provider {
  path: string
  privateKey: KeyObject
  /** The number of the first message of each request that was not answered 2xx. */
  remaining: Set<number>
}

for (const { name, createMigrated } of testDatabases) {
  describe(`killed while events of a provider are received and applied, on ${name}`, () => {
    test(`after ${kills} kills, no event is lost, and none counts twice`, async () => {
      const database = await createMigrated()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const options = {
        databaseUrl: database.url,
        env: { ...apiSettings, MAILYARD_PUBLIC_URL: publicUrl },
      }
      let service = await startMailyard(options)
      const provider = await setUp(service, storage)
      for (let round = 0; round < kills; round += 1) {
        const posting = tell(service, provider)
        const share = 1 - (round + 1) / (kills + 1)
        await until(() => provider.remaining.size <= share * 8, 'some were answered')
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
        service.kill('SIGKILL')
        await Promise.all([posting, service.ended])
        service = await startMailyard(options)
      }
      // A provider repeats what was not answered, and may repeat what was.
      await tell(service, provider)
      assert.equal(provider.remaining.size, 0)
      provider.remaining.add(0)
      await tell(service, provider)
      await until(async () => (await count(storage, 'received_events')) === 0, 'all are applied')
      await check(service, storage)
      await storage.close()
      await service.stop()
      await database.drop()
    })
  })
}

/** Creates the webhook of a transport, and messages that it has sent. */
async function setUp(service: MailyardProcess, storage: Storage): Promise<Provider> {
  const body = { name: 'SendGrid', mailerDsn: 'sendgrid+api://KEY@default' }
  const created = await ask(service, '/api/multipleTransports/new', { method: 'POST', body })
  const { id } = created.body
  const { publicKey: signingKey, privateKey } = createKeyPair()
  const webhook = { method: 'PUT', body: { signingKey } }
  const answer = await ask(service, `/api/multipleTransports/${id}/webhook`, webhook)
  const started = { source: 'api', caller: 'tests', startedAt: Date.now(), processId: 'p' } as const
  const rows = Array.from({ length: messages }, (_, index) => ({
    ...emptyDelivery(started),
    sender: 'news@brand.test',
    recipient: addressOf(index),
    recipient_key: addressOf(index),
    transport_id: id,
    transport: 'SendGrid',
    outcome: 'accepted' as const,
    provider_id: `id${index}`,
  }))
  for (let start = 0; start < messages; start += 500) {
    const some = rows.slice(start, start + 500)
    await storage.tables<DeliveryTables>().insertInto('deliveries').values(some).execute()
  }
  const starts = Array.from({ length: messages / eventsPerRequest }, (_, index) => index)
  return {
    path: new URL(answer.body.webhook.url).pathname,
    privateKey,
    remaining: new Set(starts.map((index) => index * eventsPerRequest)),
  }
}

function addressOf(index: number): string {
  return `reader${index}@rcpt.test`
}

/** Posts what was not answered, two requests at a time, until there is no answer any more. */
async function tell(service: MailyardProcess, provider: Provider): Promise<void> {
  const waiting = [...provider.remaining]
  const post = async () => {
    for (let first = waiting.pop(); first !== undefined; first = waiting.pop()) {
      const body = JSON.stringify(eventsFrom(first))
      const headers = signedHeaders({ id: 0, ...provider }, body, Date.now())
      const url = `${service.url}${provider.path}`
      const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
      if (answer === undefined) return
      assert.equal(answer.status, 200)
      provider.remaining.delete(first)
    }
  }
  await Promise.all([post(), post()])
}

function eventsFrom(first: number): object[] {
  return Array.from({ length: eventsPerRequest }, (_, offset) => {
    const index = first + offset
    const isBounced = index % bouncedOneIn === 0
    return {
      email: addressOf(index),
      timestamp: Math.floor(Date.now() / 1_000),
      event: isBounced ? 'bounce' : 'delivered',
      sg_event_id: `event${index}`,
      sg_message_id: `id${index}.filter-1`,
      ...(isBounced ? { type: 'bounce', status: '5.1.1', reason: '550 5.1.1 no such user' } : {}),
    }
  })
}

async function check(service: MailyardProcess, storage: Storage): Promise<void> {
  const bounced = messages / bouncedOneIn
  assert.equal(await count(storage, 'delivery_events'), messages)
  assert.equal(await count(storage, 'suppressions'), bounced)
  const stats = await ask(service, '/api/deliveries/stats?by=event')
  const totals = Object.fromEntries(
    stats.body.series.map(({ key, total }: { key: string; total: number }) => [key, total]),
  )
  assert.deepEqual([totals.delivered, totals.bounced], [messages - bounced, bounced])
  const { rows } = await sql<{ event: string | null; count: number }>`
    select event, count(*) as count from deliveries group by event order by event`.execute(
    storage.tables(),
  )
  assert.deepEqual(
    rows.map((row) => [row.event, Number(row.count)]),
    [
      ['bounced', bounced],
      ['delivered', messages - bounced],
    ],
  )
}

async function count(storage: Storage, table: string): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.table(table)}`.execute(storage.tables())
  return Number(rows[0]?.count)
}
