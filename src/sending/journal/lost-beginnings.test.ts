import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { testDatabases } from '../../../test/databases.ts'
import { openTestApp } from '../../../test/test-app.ts'
import { openStorage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { openJournal } from './journal.ts'
import type { NewDelivery } from './new-delivery.ts'

const to = (address: string): NewDelivery => ({
  source: 'smtp',
  caller: 'tests',
  emailId: null,
  contactId: null,
  sendingId: null,
  sender: 'a@b.test',
  recipients: [{ address, messageKey: `key of ${address}`, bulkKey: null }],
  transportId: null,
  transport: 'default',
  messageId: null,
  requestHash: null,
  trace: [],
})

/** A way to a database server that can lose the answer to the next commit, and the connection with it. */
async function openWay(url: URL) {
  let isLosing = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    let isLost = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (bytes) => {
      upstream.write(bytes)
      if (isLosing && bytes.includes('commit')) isLost = true
    })
    upstream.on('data', (bytes) => {
      if (!isLost) client.write(bytes)
      else client.destroy()
      if (isLost) isLosing = false
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    loseNextCommit: () => {
      isLosing = true
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

// SQLite answers in the process itself.
for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`beginnings whose answer is lost, on ${name}`, () => {
    test('what was written down unbeknownst is given up, and may be sent; what is under way is not', async (context) => {
      const database = await create()
      const yard = await openTestApp({ database })
      const way = await openWay(new URL(database.url))
      const storage = openStorage({ url: way.url, onIdleError: () => undefined })
      const journal = openJournal({
        storage,
        clock: { now: () => Date.now() },
        processId: 'lossy',
        lost: { intervalMs: 20, forMs: 100 },
      })
      context.after(async () => {
        journal.close()
        await storage.close()
        await way.close()
        await yard.close()
        await database.drop()
      })
      const { admissions } = await journal.begin(to('under-way@lost.test'))
      way.loseNextCommit()
      await assert.rejects(journal.begin(to('lost@lost.test')), { name: 'AppError' })
      const deadline = Date.now() + 10_000
      let again = (await journal.begin(to('lost@lost.test'))).admissions
      assert.equal(again[0]?.state, 'known', 'it was written down')
      while (again[0]?.state === 'known' && Date.now() < deadline) {
        await setTimeout(20)
        again = (await journal.begin(to('lost@lost.test'))).admissions
      }
      assert.equal(again[0]?.state, 'begun')
      // Until it is not looked for any more.
      await setTimeout(300)
      const rows = await storage
        .tables<DeliveryTables>()
        .selectFrom('deliveries')
        .select(['id', 'recipient', 'outcome', 'reason'])
        .orderBy('id')
        .execute()
      assert.deepEqual(
        rows.map(({ recipient, outcome }) => [recipient, outcome]),
        [
          ['under-way@lost.test', 'started'],
          ['lost@lost.test', 'refused'],
          ['lost@lost.test', 'started'],
        ],
      )
      assert.match(rows[1]?.reason ?? '', /It was not sent/)
      assert.equal(admissions[0]?.state, 'begun')
    })
  })
}
