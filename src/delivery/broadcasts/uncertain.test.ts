import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { createBroadcastFixture } from '../../../test/broadcasts/broadcast-fixture.ts'
import { useScriptedServer } from '../../../test/broadcasts/scripted-server.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { emptyDelivery } from '../log/delivery-row.ts'
import type { DeliveryTables } from '../table.ts'
import { neverDue } from './broadcast-store.ts'
import { type Claim, claimRecipients, startAttempts } from './claims.ts'
import { type AttemptOutcome, recordOutcomes } from './outcomes.ts'
import type { BroadcastTables } from './table.ts'
import { recoverRecipients } from './uncertain-recipients.ts'

type Tables = BroadcastTables & DeliveryTables

const quietBroadcast = {
  caller: 'Admin',
  created_at: 0,
  finished_at: null,
  status: 'running' as const,
  problem: null,
  segment: null,
  contact_ids: null,
  is_prepared: true,
  prepared_to: 0,
  due_at: neverDue,
  total: 2,
  accepted: 0,
  suppressed: 0,
  refused: 0,
  uncertain: 0,
  rate_stretch: 0,
  rate_count: 0,
  rate_before: 0,
  message_seed: 'seed',
  idempotency_key: null,
  request_hash: null,
}

const trace = [
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
    const done = await fixture.until(id, ({ status }) => status === 'done')
    assert.deepEqual([done.uncertain, done.accepted, done.remaining], [2, 0, 0])
    server.act = () => undefined
    const settle = (deliveryId: number, outcome: string) =>
      shared.service.ask('POST', `/api/deliveries/${deliveryId}/settle`, { outcome })
    const [second, first] = await fixture.deliveries(`broadcastId=${id}`)
    assert.equal((await settle(first.id, 'accepted')).status, 200)
    const half = await fixture.get(id)
    assert.deepEqual([half.uncertain, half.accepted, half.status], [1, 1, 'done'])
    assert.equal((await settle(second.id, 'refused')).status, 200)
    const ended = await fixture.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.refused, ended.status], [0, 0, 'done'])
    assert.equal((await settle(second.id, 'refused')).status, 409)
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
      .values({ ...quietBroadcast, email_id: emailId })
      .returning('id')
      .executeTakeFirstOrThrow()
    const recipients = contacts.map((contact) => ({
      email_id: emailId,
      contact_id: contact.id,
      broadcast_id: id,
      status: 'queued' as const,
      attempts: 0,
      due_at: 0,
      tried_at: null,
      claimed_by: null,
      attempt: null,
    }))
    await db.insertInto('broadcast_recipients').values(recipients).execute()
    const seen = { id: processId, seen_at: await storage.now() }
    await db.insertInto('delivery_processes').values(seen).execute()
    const context = { storage, processId, now: Date.now() }
    const claims = await claimRecipients({ id, email_id: emailId, created_at: 0 }, 10, context)
    assert.equal(claims.length, 2)
    return { id, emailId, claims, context }
  }
  const transact = <Result>(work: (tx: Transaction<Tables>) => Promise<Result>) =>
    shared.service.app.storage.transaction(work)
  const expire = (processId: string) =>
    transact(async (tx) => {
      await tx.deleteFrom('delivery_processes').where('id', '=', processId).execute()
      return recoverRecipients(tx.withTables<DeliveryTables>(), [processId], Date.now())
    })
  const leaving = (claims: readonly Claim[]) =>
    claims.map((claim) => ({
      claim,
      attempt: {
        started_at: 5_000,
        sender: 'then@brand.test',
        recipient: `then-${claim.contactId}@x.test`,
        transport_id: 1,
        transport: 'then',
        message_id: '<then@brand.test>',
        trace: JSON.stringify(trace),
      },
    }))
  const outcomeOf = (each: Claim, status: AttemptOutcome['status']): AttemptOutcome => ({
    broadcastId: each.broadcastId,
    emailId: each.emailId,
    contactId: each.contactId,
    status,
    dueAt: Date.now() + 3_600_000,
    delivery: {
      ...emptyDelivery({ source: 'broadcast', caller: '', startedAt: 1_000, processId: 'zombie' }),
      contact_id: each.contactId,
      broadcast_id: each.broadcastId,
      recipient: each.contact?.email ?? '',
      outcome: status === 'queued' ? 'refused' : status,
    },
  })

  test('claims of an expired process go back to the queue; what it was sending is uncertain', async () => {
    const { id, claims, context } = await claimAsAnother('expired')
    const [first] = claims
    assert.ok(first)
    await transact((tx) =>
      startAttempts(tx.withTables<BroadcastTables>(), leaving([first]), context),
    )
    await fixture.act(id, 'pause')
    assert.deepEqual(await expire('expired'), { requeued: 1, uncertain: 1 })
    const broadcast = await fixture.get(id)
    assert.deepEqual([broadcast.uncertain, broadcast.remaining], [1, 1])
    const [delivery] = await fixture.deliveries(`broadcastId=${id}`)
    assert.deepEqual([delivery.outcome, delivery.contactId], ['uncertain', first.contactId])
    // As it was sent, even if contact, email and transport were changed since.
    assert.deepEqual(
      [delivery.date, delivery.sender, delivery.recipient, delivery.transport],
      ['1970-01-01T00:00:05+00:00', 'then@brand.test', `then-${first.contactId}@x.test`, 'then'],
    )
    assert.equal(delivery.messageId, '<then@brand.test>')
    assert.deepEqual(delivery.trace, trace)
  })

  test('an expired process that still runs starts and claims nothing', async () => {
    const { id, emailId, claims, context } = await claimAsAnother('zombie')
    await fixture.act(id, 'pause')
    await expire('zombie')
    const started = await transact((tx) =>
      startAttempts(tx.withTables<BroadcastTables>(), leaving(claims), context),
    )
    assert.deepEqual([...(started.get(id)?.contactIds ?? [])], [])
    assert.deepEqual(
      await claimRecipients({ id, email_id: emailId, created_at: 0 }, 10, context),
      [],
    )
  })

  test('its outcome replaces an uncertain one, once, unless an operator has settled it', async () => {
    const { id, claims, context } = await claimAsAnother('zombie')
    const [first, second] = claims
    assert.ok(first && second)
    await transact((tx) =>
      startAttempts(tx.withTables<BroadcastTables>(), leaving(claims), context),
    )
    await fixture.act(id, 'pause')
    assert.deepEqual(await expire('zombie'), { requeued: 0, uncertain: 2 })
    const record = (outcome: AttemptOutcome) =>
      transact((tx) => recordOutcomes(tx, [outcome], context))
    await record(outcomeOf(first, 'accepted'))
    // The answer to the commit was lost, so it is repeated.
    await record(outcomeOf(first, 'accepted'))
    const item = await fixture.get(id)
    assert.deepEqual([item.accepted, item.uncertain, item.remaining], [1, 1, 0])
    assert.deepEqual(
      (await fixture.deliveries(`contactId=${first.contactId}`)).map(({ outcome }) => outcome),
      ['accepted'],
    )
    const [doubt] = await fixture.deliveries(`contactId=${second.contactId}`)
    const settle = `/api/deliveries/${doubt.id}/settle`
    await shared.service.ask('POST', settle, { outcome: 'accepted' })
    await record(outcomeOf(second, 'refused'))
    const decided = await fixture.get(id)
    assert.deepEqual([decided.accepted, decided.refused, decided.uncertain], [2, 0, 0])
    const both = await fixture.deliveries(`contactId=${second.contactId}`)
    assert.deepEqual(both.map(({ outcome }) => outcome).sort(), ['accepted', 'refused'])
  })

  test('a late temporary refusal is retried, and a broadcast that was done runs again', async () => {
    server.act = () => undefined
    const { id, claims, context } = await claimAsAnother('late')
    await transact((tx) =>
      startAttempts(tx.withTables<BroadcastTables>(), leaving(claims), context),
    )
    assert.deepEqual(await expire('late'), { requeued: 0, uncertain: 2 })
    assert.equal((await fixture.get(id)).status, 'done')
    const outcomes = claims.map((each) => ({ ...outcomeOf(each, 'queued'), dueAt: Date.now() }))
    await transact((tx) => recordOutcomes(tx, outcomes, context))
    const ended = await fixture.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.status], [0, 'done'])
  })

  test('any reply of a server is stored without blocking others', async () => {
    server.act = () => ({ code: 550, text: '5.7.1 no\u0000body \ufffd' })
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    const done = await fixture.until(id, ({ status }) => status === 'done')
    server.act = () => undefined
    assert.equal(done.refused, 1)
  })
})
