import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import type { QueueTables } from '../../src/queue/table.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { askService, furnish, untilBroadcast } from '../broadcasts/service-client.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type HoldingServer, startHoldingServer } from '../holding-server.ts'
import { apiSettings, type MailyardProcess, quickMain, startMailyard } from '../mailyard-process.ts'

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `never: ${isSo.toString()}`)
    await setTimeout(50)
  }
}

// SQLite has one process: no other one can take it for expired.
for (const { name, createMigrated } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  describe(`a process that is stopped between the start of an attempt and its message, on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    let server: HoldingServer
    let frozen: MailyardProcess
    let other: MailyardProcess
    const launch = () =>
      startMailyard({ databaseUrl: database.url, env: apiSettings, main: quickMain })
    before(async () => {
      database = await createMigrated()
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      server = await startHoldingServer()
      frozen = await launch()
      other = await launch()
    })
    after(async () => {
      frozen.thaw()
      await Promise.all([frozen.stop(), other.stop()])
      await server.close()
      await storage.close()
      await database.drop()
    })

    const countProcesses = async () => {
      const db = storage.tables<DeliveryTables>()
      return (await db.selectFrom('delivery_processes').select('id').execute()).length
    }
    const deliveriesOf = async (emailId: number) => {
      const { deliveries } = await askService(
        other.url,
        'GET',
        `/api/deliveries?emailId=${emailId}`,
      )
      return deliveries as { id: number; outcome: string; reason: string | null }[]
    }
    const outcomesOf = async (emailId: number) =>
      (await deliveriesOf(emailId)).map(({ outcome }) => outcome).toReversed()

    test('does not send it, also after it has a lease again, when an operator had it sent meanwhile', async () => {
      const emailId = await furnish(other.url, { dsn: server.dsn, segment: 'single', count: 1 })
      const recipient = 'single-0@example.com'
      const { contacts } = await askService(other.url, 'GET', `/api/contacts?search=${recipient}`)
      const contactId = Object.keys(contacts)[0]
      const path = `/api/emails/${emailId}/contact/${contactId}/send`
      const sent = askService(frozen.url, 'POST', path).catch((error: unknown) => String(error))
      await until(() => server.held.includes(recipient))
      frozen.freeze()
      await until(async () => (await outcomesOf(emailId))[0] === 'uncertain')
      const [uncertain] = await deliveriesOf(emailId)
      await askService(other.url, 'POST', `/api/deliveries/${uncertain?.id}/settle`, {
        outcome: 'deferred',
      })
      server.isHolding = false
      await askService(other.url, 'POST', path)
      assert.deepEqual(server.received, [recipient])
      frozen.thaw()
      await until(async () => (await countProcesses()) === 2)
      server.release(recipient)
      assert.match(JSON.stringify(await sent), /was interrupted/)
      assert.deepEqual(server.received, [recipient])
      assert.deepEqual(await outcomesOf(emailId), ['deferred', 'accepted'])
      const [, settled] = await deliveriesOf(emailId)
      assert.match(settled?.reason ?? '', /operator/)
    })

    test('returns the recipient of a broadcast to its queue, and the message is sent once', async () => {
      server.isHolding = true
      const segment = 'many'
      const recipient = 'many-0@example.com'
      const emailId = await furnish(other.url, { dsn: server.dsn, segment, count: 1 })
      const request = askService(frozen.url, 'POST', `/api/emails/${emailId}/send`, { segment })
      const { job } = await request
      await until(() => server.held.includes(recipient))
      const db = storage.tables<DeliveryTables & QueueTables>()
      const { claimed_by: id } = await db
        .selectFrom('queue_recipients')
        .select('claimed_by')
        .where('broadcast_id', '=', job.id)
        .executeTakeFirstOrThrow()
      const rows = await db.selectFrom('delivery_processes').select(['id', 'pid']).execute()
      const pid = rows.find((row) => row.id === id)?.pid
      const sender = [frozen, other].find((each) => each.pid === pid)
      assert.ok(sender)
      const witness = sender === frozen ? other : frozen
      sender.freeze()
      const isUncertain = async () => {
        const { broadcast } = await askService(witness.url, 'GET', `/api/broadcasts/${job.id}`)
        return broadcast.uncertain === 1
      }
      await until(isUncertain)
      // The reply to DATA is the first thing that it reads.
      server.release(recipient)
      server.isHolding = false
      sender.thaw()
      const count = () => server.received.filter((each) => each === recipient).length
      await until(() => count() > 0)
      const done = await untilBroadcast(() => witness.url, job.id, { state: 'done' })
      assert.deepEqual([done.accepted, done.uncertain], [1, 0])
      assert.deepEqual(await outcomesOf(emailId), ['deferred', 'accepted'])
      assert.equal(count(), 1)
    })
  })
