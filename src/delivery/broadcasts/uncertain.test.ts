import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createBroadcastFixture,
  quickIntervals,
} from '../../../test/broadcasts/broadcast-fixture.ts'
import { emptyBroadcast } from '../../../test/broadcasts/empty-broadcast.ts'
import { useScriptedServer } from '../../../test/broadcasts/scripted-server.ts'
import { newDelivery } from '../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLog } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { RouteStep } from '../../routing/choose-route.ts'
import { type DeliveryLog, openDeliveryLog } from '../log/delivery-log.ts'
import { Processes } from '../log/processes.ts'
import type { DeliveryTables } from '../table.ts'
import { neverDue } from './broadcast-store.ts'
import { type Claim, claimRecipients } from './claims.ts'
import { recoverRecipients } from './recipient-states.ts'
import type { BroadcastTables } from './table.ts'

type Tables = BroadcastTables & DeliveryTables

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

  /** A broadcast that the worker of this service does not handle, with two claims of another process. */
  const claimAsAnother = async (processId: string) => {
    const { storage } = shared.service.app
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { contacts } = await fixture.segment(2)
    const db = storage.tables<Tables>()
    const { id } = await db
      .insertInto('broadcasts')
      .values({ ...emptyBroadcast, email_id: emailId, total: 2, due_at: neverDue })
      .returning('id')
      .executeTakeFirstOrThrow()
    const recipients = contacts.map((contact) => ({
      email_id: emailId,
      contact_id: contact.id,
      broadcast_id: id,
      state: 'queued' as const,
      attempts: 0,
      due_at: 0,
      tried_at: null,
      claimed_by: null,
    }))
    await db.insertInto('broadcast_recipients').values(recipients).execute()
    const seen = { id: processId, seen_at: await storage.now() }
    await db.insertInto('delivery_processes').values(seen).execute()
    const log = openDeliveryLog({ storage, processId, clock: { now }, log: createLog('silent') })
    const claim = () => {
      const context = { storage, processId, now: now() }
      return claimRecipients({ id, email_id: emailId, created_at: 0 }, 10, context)
    }
    const claims = await claim()
    assert.equal(claims.length, 2)
    return { id, claims, log, claim }
  }
  const now = () => Date.now()
  /** Starts an attempt; undefined if it may not be sent. */
  const start = async (log: DeliveryLog, { broadcastId, emailId, contactId }: Claim) => {
    const address = `then-${contactId}@x.test`
    const { results } = await log.start({
      ...newDelivery([{ address, messageKey: null, bulkKey: null }]),
      ...{ source: 'broadcast', broadcastId, emailId, contactId },
      ...{ messageId: '<then@brand.test>', trace },
    })
    const [attempt] = results
    assert.notEqual(attempt?.state, 'duplicate')
    return attempt?.state === 'started' ? attempt : undefined
  }
  const settlementOf = ({ broadcastId, emailId, contactId }: Claim) => {
    return { broadcastId, emailId, contactId, dueAt: now(), triedAt: now() }
  }
  const expire = async (processId: string) => {
    const recovered: unknown[] = []
    const processes = new Processes({
      ...{ storage: shared.service.app.storage, log: createLog('silent'), processId },
      intervals: quickIntervals,
      async onExpired(tx, expired) {
        const ids = expired.map(({ id }) => id)
        recovered.push(await recoverRecipients(tx, ids, now()))
      },
    })
    await processes.stop()
    return recovered
  }

  test('claims of an expired process go back to the queue; what it was sending is uncertain', async () => {
    const { id, claims, log } = await claimAsAnother('expired')
    const [first] = claims
    assert.ok(first)
    await start(log, first)
    await fixture.act(id, 'pause')
    assert.deepEqual(await expire('expired'), [{ requeued: 1, uncertain: 1 }])
    const broadcast = await fixture.get(id)
    assert.deepEqual([broadcast.uncertain, broadcast.remaining], [1, 1])
    const [delivery] = await fixture.deliveries(`broadcastId=${id}`)
    assert.deepEqual([delivery.outcome, delivery.contactId], ['uncertain', first.contactId])
    // As it was sent, even if contact, email and transport were changed since.
    assert.deepEqual(
      [delivery.sender, delivery.recipient, delivery.messageId],
      ['a@b.test', `then-${first.contactId}@x.test`, '<then@brand.test>'],
    )
    assert.deepEqual(delivery.trace, trace)
  })

  test('an expired process that still runs starts and claims nothing', async () => {
    const { id, claims, log, claim } = await claimAsAnother('zombie')
    await fixture.act(id, 'pause')
    await expire('zombie')
    for (const each of claims) assert.equal(await start(log, each), undefined)
    assert.deepEqual(await claim(), [])
  })

  test('its outcome replaces an uncertain one, once, unless an operator has settled it', async () => {
    const { id, claims, log } = await claimAsAnother('zombie')
    const [first, second] = claims
    assert.ok(first && second)
    const [one, other] = [await start(log, first), await start(log, second)]
    assert.ok(one && other)
    await fixture.act(id, 'pause')
    assert.deepEqual(await expire('zombie'), [{ requeued: 0, uncertain: 2 }])
    const accept = () =>
      log.finish([one], resultOf('accepted'), () => {
        return { ...settlementOf(first), state: 'accepted' }
      })
    await accept()
    // The answer to the commit was lost, so it is repeated.
    await accept()
    const item = await fixture.get(id)
    assert.deepEqual([item.accepted, item.uncertain, item.remaining], [1, 1, 0])
    assert.deepEqual(
      (await fixture.deliveries(`contactId=${first.contactId}`)).map(({ outcome }) => outcome),
      ['accepted'],
    )
    const settle = `/api/deliveries/${other.id}/settle`
    await shared.service.ask('POST', settle, { outcome: 'accepted' })
    await log.finish([other], resultOf('refused'), () => {
      return { ...settlementOf(second), state: 'refused' }
    })
    const decided = await fixture.get(id)
    assert.deepEqual([decided.accepted, decided.refused, decided.uncertain], [2, 0, 0])
    const [last] = await fixture.deliveries(`contactId=${second.contactId}`)
    assert.equal(last.outcome, 'accepted')
  })

  test('a late temporary refusal is retried, and a broadcast that was done runs again', async () => {
    server.act = () => undefined
    const { id, claims, log } = await claimAsAnother('late')
    const attempts = await Promise.all(claims.map((each) => start(log, each)))
    assert.deepEqual(await expire('late'), [{ requeued: 0, uncertain: 2 }])
    assert.equal((await fixture.get(id)).state, 'done')
    for (const [index, attempt] of attempts.entries()) {
      const claim = claims[index]
      assert.ok(attempt && claim)
      await log.finish([attempt], resultOf('refused'), () => {
        return { ...settlementOf(claim), state: 'queued' }
      })
    }
    const ended = await fixture.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.state], [0, 'done'])
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
