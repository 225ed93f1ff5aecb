import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { newDelivery } from '../../test/new-delivery.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { addBroadcast } from '../../test/queue/add-broadcast.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'
import { openDeliveryLog } from '../delivery/log/delivery-log.ts'
import { Processes } from '../delivery/log/processes.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import { createLog } from '../kit/log.ts'
import type { DeliveryResult } from '../mailer/index.ts'
import type { ClaimedRecipient } from '../queue/queue-store.ts'
import { recoverQueued } from '../queue/recover-recipients.ts'
import type { QueueTables } from '../queue/table.ts'
import type { RouteStep } from '../routing/choose-route.ts'
import { countChanges } from './counts.ts'
import type { BroadcastTables } from './table.ts'

const hourMs = 3_600_000

/** The result of a message. */
function resultOf(outcome: DeliveryResult['outcome']): DeliveryResult {
  const attempt = {
    ...{ member: '', outcome, stage: 'data' as const, reply: null, fault: null },
    ...{ isPermanent: false, durationMs: 1 },
  }
  const retry = { isRetrySafe: true, retryAfterMs: null, messageId: null }
  return { ...attempt, ...retry, recipients: [], attempts: [attempt] }
}

const trace: RouteStep[] = [
  {
    source: 'email',
    transport: { id: 1, name: 'then' },
    outcome: 'taken',
    reason: 'it is assigned to email 1',
  },
]

onEachDatabase('uncertain messages', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()

  test('settled as refused they go back to the queue; settled as accepted they count as accepted', async () => {
    server.act = () => 'hang up'
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment, contacts } = await fixture.segment(2)
    const id = await fixture.send(emailId, { segment })
    const done = await fixture.until(id, ({ state }) => state === 'done')
    assert.deepEqual([done.uncertain, done.accepted, done.remaining], [2, 0, 0])
    server.act = () => undefined
    const settle = (deliveryId: number, outcome: string) =>
      shared.service.ask('POST', `/api/deliveries/${deliveryId}/settle`, { outcome })
    const [second, first] = await fixture.deliveries(`broadcastId=${id}`)
    assert.equal((await settle(first.id, 'accepted')).status, 200)
    const half = await fixture.get(id)
    assert.deepEqual([half.uncertain, half.accepted, half.state], [1, 1, 'done'])
    assert.equal((await settle(second.id, 'deferred')).status, 200)
    const ended = await fixture.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.refused, ended.state], [0, 0, 'done'])
    assert.equal((await settle(second.id, 'deferred')).status, 409)
    assert.deepEqual(server.taken, [second.recipient])
    assert.ok(contacts.some(({ email }) => email === second.recipient))
    const [last] = await fixture.deliveries(`contactId=${second.contactId}`)
    assert.equal(last.messageId, second.messageId, 'the same message has the same Message-ID')
  })

  test('any reply of a server is stored without blocking others', async () => {
    server.act = () => ({ code: 550, text: '5.7.1 no\u0000body \ufffd' })
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    const done = await fixture.until(id, ({ state }) => state === 'done')
    server.act = () => undefined
    assert.equal(done.refused, 1)
  })
})

onEachDatabase(
  'the recipients that an expired process had claimed',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()
    const now = () => Date.now()

    /** A broadcast with two recipients that another process has claimed. */
    const claimAsAnother = async (processId: string) => {
      const { storage } = shared.service.app
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { contacts } = await fixture.segment(2)
      const contactIds = contacts.map((contact) => contact.id)
      const times = { now: now(), expiresAt: now() + hourMs }
      const id = await addBroadcast(storage, { emailId, contactIds, ...times })
      const seen = { id: processId, seen_at: await storage.now() }
      await storage.tables<DeliveryTables>().insertInto('delivery_processes').values(seen).execute()
      const store = openTestStore(storage, processId)
      const log = openDeliveryLog({
        storage,
        processId,
        clock: { now },
        log: createLog('silent'),
        findSendable: (tx, ids) => store.findSendable(tx, ids),
      })
      const claim = () => store.claim({ transportId: noTransport, lane: 'bulk', limit: 10 }, now())
      const claims = await claim()
      assert.equal(claims.length, 2)
      /** Starts an attempt; undefined if it may not be sent. */
      const start = async (recipient: ClaimedRecipient) => {
        const { contact_id: contactId, message_key: messageKey } = recipient
        const address = `then-${contactId}@x.test`
        const { results } = await log.start({
          ...newDelivery([{ address, messageKey, bulkKey: null }]),
          source: 'broadcast',
          broadcastId: id,
          emailId,
          contactId,
          queuedId: recipient.id,
          messageId: '<then@brand.test>',
          trace,
        })
        const [attempt] = results
        assert.notEqual(attempt?.state, 'duplicate')
        return attempt?.state === 'started' ? attempt : undefined
      }
      return { id, claims, store, log, claim, start }
    }
    const expire = async (processId: string) => {
      const { storage } = shared.service.app
      const recovered: unknown[] = []
      const processes = new Processes({
        storage,
        log: createLog('silent'),
        processId,
        intervals: quickIntervals,
        async onExpired(tx, expired) {
          recovered.push(
            await recoverQueued(tx, {
              storage,
              countChanges: (each, changes) => countChanges(each, changes, { now: now() }),
              processIds: expired.map(({ id }) => id),
              now: now(),
            }),
          )
        },
      })
      await processes.stop()
      return recovered
    }
    const ended = (id: number, end: 'accepted' | 'refused') => {
      return { id, state: 'done' as const, end, isAttempted: true }
    }
    const deferred = (id: number, dueAt: number) => ({
      id,
      state: 'queued' as const,
      at: now(),
      dueAt,
      attempts: 1,
      problem: '451 4.3.0 later',
      transportId: noTransport,
      waitsFor: null,
    })

    test('go back to the queue; what it was sending is uncertain', async () => {
      const { id, claims, start } = await claimAsAnother('expired')
      const [first] = claims
      assert.ok(first)
      await start(first)
      assert.deepEqual(await expire('expired'), [{ requeued: 1, uncertain: 1, done: 0 }])
      const broadcast = await fixture.get(id)
      assert.deepEqual([broadcast.uncertain, broadcast.remaining], [1, 1])
      const [delivery] = await fixture.deliveries(`broadcastId=${id}`)
      assert.deepEqual([delivery.outcome, delivery.contactId], ['uncertain', first.contact_id])
      // As it was sent, even if contact, email and transport were changed since.
      assert.deepEqual(
        [delivery.sender, delivery.recipient, delivery.messageId],
        ['a@b.test', `then-${first.contact_id}@x.test`, '<then@brand.test>'],
      )
      assert.deepEqual(delivery.trace, trace)
      await fixture.act(id, 'cancel')
    })

    test('are paused if their broadcast was paused meanwhile', async () => {
      const { id, claims, start } = await claimAsAnother('paused')
      const [first, second] = claims
      assert.ok(first && second)
      await start(first)
      await fixture.act(id, 'pause')
      assert.equal(await start(second), undefined, 'nothing more is sent')
      await expire('paused')
      const { body } = await shared.service.ask('GET', `/api/broadcasts/${id}/recipients`)
      assert.deepEqual(body.recipients.map((each: { state: string }) => each.state).sort(), [
        'paused',
        'uncertain',
      ])
      await fixture.act(id, 'cancel')
    })

    test('are neither started nor claimed by it any more if it still runs', async () => {
      const { id, claims, claim, start } = await claimAsAnother('zombie')
      await expire('zombie')
      for (const each of claims) assert.equal(await start(each), undefined)
      assert.deepEqual(await claim(), [])
      await fixture.act(id, 'cancel')
    })

    test('get an outcome that it writes late, once, unless an operator has settled them', async () => {
      const { id, claims, store, log, start } = await claimAsAnother('zombie')
      const [first, second] = claims
      assert.ok(first && second)
      const [one, other] = [await start(first), await start(second)]
      assert.ok(one && other)
      assert.deepEqual(await expire('zombie'), [{ requeued: 0, uncertain: 2, done: 0 }])
      const accept = async () => {
        await log.finish([one], resultOf('accepted'))
        await store.settle(ended(first.id, 'accepted'))
      }
      await accept()
      // The answer to the commit was lost, so it is repeated.
      await accept()
      const item = await fixture.get(id)
      assert.deepEqual([item.accepted, item.uncertain, item.remaining], [1, 1, 0])
      assert.deepEqual(
        (await fixture.deliveries(`contactId=${first.contact_id}`)).map(({ outcome }) => outcome),
        ['accepted'],
      )
      const settle = `/api/deliveries/${other.id}/settle`
      await shared.service.ask('POST', settle, { outcome: 'accepted' })
      await log.finish([other], resultOf('refused'))
      await store.settle(ended(second.id, 'refused'))
      const decided = await fixture.get(id)
      assert.deepEqual([decided.accepted, decided.refused, decided.uncertain], [2, 0, 0])
      const [last] = await fixture.deliveries(`contactId=${second.contact_id}`)
      assert.equal(last.outcome, 'accepted')
    })

    test('are counted once where it settles them while they are recovered', async (context) => {
      const { storage } = shared.service.app
      if (!storage.locksRows) return context.skip('on SQLite, one transaction follows another')
      const { id, claims, store, log, start } = await claimAsAnother('settling')
      const [first, second] = claims
      assert.ok(first && second)
      const attempt = await start(first)
      assert.ok(attempt)
      await log.finish([attempt], resultOf('accepted'))
      const db = storage.tables<BroadcastTables & QueueTables>()
      const countLocked = async () => {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length
      }
      // It has settled them, and waits for the counters: the recovery still finds its claims, and waits for it.
      const dueAt = now() + hourMs
      const held = Promise.withResolvers<void>()
      // Also where the test fails: its service waits for the transaction.
      context.after(() => held.resolve())
      const holding = storage.transaction(async (tx: Transaction<BroadcastTables>) => {
        await tx.selectFrom('broadcasts').where('id', '=', id).select('id').forUpdate().execute()
        await held.promise
      })
      const settling = [
        store.settle(ended(first.id, 'accepted')),
        store.settle(deferred(second.id, dueAt)),
      ]
      await until(async () => (await countLocked()) > 0, 'the results wait for the counters')
      // Both results may be written in one transaction, or in two.
      const settlingCount = await countLocked()
      const recovering = expire('settling')
      await until(async () => (await countLocked()) > settlingCount, 'the recovery waits for them')
      held.resolve()
      await Promise.all([holding, ...settling])
      assert.deepEqual(await recovering, [{ requeued: 0, uncertain: 0, done: 0 }])
      const item = await fixture.get(id)
      assert.deepEqual([item.accepted, item.uncertain, item.remaining], [1, 0, 1])
      const left = db.selectFrom('queue_recipients').select(['id', 'due_at'])
      assert.deepEqual(await left.where('broadcast_id', '=', id).execute(), [
        { id: second.id, due_at: dueAt },
      ])
      await fixture.act(id, 'cancel')
    })

    test('are sent to again after a late temporary refusal, and a broadcast that was done runs again', async () => {
      server.act = () => undefined
      const { id, claims, store, log, start } = await claimAsAnother('late')
      const attempts = await Promise.all(claims.map((each) => start(each)))
      assert.deepEqual(await expire('late'), [{ requeued: 0, uncertain: 2, done: 0 }])
      assert.equal((await fixture.get(id)).state, 'done')
      await shared.service.app.start()
      for (const [index, attempt] of attempts.entries()) {
        const claim = claims[index]
        assert.ok(attempt && claim)
        await log.finish([attempt], resultOf('refused'))
        await store.settle(deferred(claim.id, now()))
      }
      const done = await fixture.until(id, ({ accepted }) => accepted === 2)
      assert.deepEqual([done.uncertain, done.state], [0, 'done'])
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
