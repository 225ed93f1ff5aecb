import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DeliveryTables } from '../../src/core/delivery/table.ts'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type HoldingServer, startHoldingServer } from '../holding-server.ts'
import { type MailyardProcess, quickMain, startMailyard } from '../mailyard-process.ts'
import { until } from '../until.ts'
import { askService, deliveriesTo, queueSettings, submitEach } from './services.ts'

// SQLite has one process: no other one can take it for expired.
for (const { name, createMigrated } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  describe(`a process that is stopped between the start of an attempt and its message, on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    let server: HoldingServer
    let frozen: MailyardProcess
    let other: MailyardProcess
    before(async () => {
      database = await createMigrated()
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      server = await startHoldingServer()
      const settings = {
        databaseUrl: database.url,
        env: queueSettings(server.dsn),
        main: quickMain,
      }
      frozen = await startMailyard(settings)
      other = await startMailyard(settings)
    })
    after(async () => {
      frozen.thaw()
      await Promise.all([frozen.stop(), other.stop()])
      await server.close()
      await storage.close()
      await database.drop()
    })

    const db = () => storage.tables<DeliveryTables & QueueTables>()
    const countProcesses = async () =>
      (await db().selectFrom('delivery_processes').select('id').execute()).length
    const outcomesTo = async (recipient: string, witness = other) =>
      (await deliveriesTo(witness, recipient)).map(({ outcome }) => outcome).toReversed()

    test('does not send it, also after it has a lease again, when an operator had it sent meanwhile', async () => {
      const recipient = 'single@example.com'
      const { contact } = await askService(other, 'POST', '/api/contacts/new', { email: recipient })
      const { email } = await askService(other, 'POST', '/api/emails/new', {
        name: 'Single',
        subject: 'Hello',
        plainText: 'Hello',
        fromAddress: 'news@brand.test',
      })
      const path = `/api/emails/${email.id}/contact/${contact.id}/send`
      const sent = askService(frozen, 'POST', path).catch((error: unknown) => String(error))
      await until(() => server.held.includes(recipient), 'it is held')
      frozen.freeze()
      await until(async () => (await outcomesTo(recipient))[0] === 'uncertain', 'it expires')
      const [uncertain] = await deliveriesTo(other, recipient)
      await askService(other, 'POST', `/api/deliveries/${uncertain?.id}/settle`, {
        outcome: 'deferred',
      })
      server.isHolding = false
      await askService(other, 'POST', path)
      assert.deepEqual(server.received, [recipient])
      frozen.thaw()
      await until(async () => (await countProcesses()) === 2, 'it is back')
      server.release(recipient)
      assert.match(JSON.stringify(await sent), /was interrupted/)
      assert.deepEqual(server.received, [recipient])
      assert.deepEqual(await outcomesTo(recipient), ['deferred', 'accepted'])
      const [, settled] = await deliveriesTo(other, recipient)
      assert.match(settled?.reason ?? '', /operator/)
    })

    test('returns a queued message to the queue, and it is sent once', async () => {
      server.isHolding = true
      const recipient = 'queued@example.com'
      await submitEach(other, [recipient])
      await until(() => server.held.includes(recipient), 'it is held')
      const { claimed_by: id } = await db()
        .selectFrom('queue_recipients')
        .select('claimed_by')
        .where('address', '=', recipient)
        .executeTakeFirstOrThrow()
      const processes = db().selectFrom('delivery_processes').select('pid').where('id', '=', id)
      const { pid } = await processes.executeTakeFirstOrThrow()
      const sender = [frozen, other].find((each) => each.pid === pid)
      assert.ok(sender)
      const witness = sender === frozen ? other : frozen
      sender.freeze()
      const outcomes = () => outcomesTo(recipient, witness)
      await until(async () => (await outcomes())[0] === 'uncertain', 'it expires')
      // The reply to DATA is the first thing that it reads.
      server.release(recipient)
      server.isHolding = false
      sender.thaw()
      const waiting = db().updateTable('queue_recipients').where('address', '=', recipient)
      // No one waits here for the half a minute until the next attempt.
      const makeDue = waiting.where('state', '=', 'queued').set({ due_at: 0 })
      await until(async () => (await makeDue.executeTakeFirst()).numUpdatedRows > 0n, 'it waits')
      await until(async () => (await outcomes()).includes('accepted'), 'it is sent')
      assert.deepEqual(await outcomes(), ['deferred', 'accepted'])
      const copies = server.received.filter((each) => each === recipient)
      assert.deepEqual(copies, [recipient])
    })
  })
