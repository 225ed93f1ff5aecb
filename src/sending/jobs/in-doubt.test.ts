import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { useScriptedServer } from '../../../test/sending-jobs/scripted-server.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import { begin, type Claim, claim } from './claims.ts'
import { type JobOutcome, recordOutcomes } from './outcomes.ts'
import { recoverRecipients } from './recover.ts'
import { neverDue } from './sending-store.ts'
import type { SendingTables } from './table.ts'

type Tables = SendingTables & DeliveryTables

const quietSending = {
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

onEachDatabase('messages in doubt', (shared) => {
  const world = createJobWorld(() => shared.yard)
  const server = useScriptedServer()

  test('settled as not arrived it goes back to the queue; as arrived it counts as accepted', async () => {
    server.act = () => 'hang up'
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment, contacts } = await world.segment(2)
    const id = await world.send(emailId, { segment })
    const done = await world.until(id, ({ status }) => status === 'done')
    assert.deepEqual([done.uncertain, done.accepted, done.remaining], [2, 0, 0])
    server.act = () => undefined
    const settle = (deliveryId: number, outcome: string) =>
      shared.yard.ask('POST', `/api/deliveries/${deliveryId}/settle`, { outcome })
    const [second, first] = await world.deliveries(`sendingId=${id}`)
    assert.equal((await settle(first.id, 'accepted')).status, 200)
    const half = await world.get(id)
    assert.deepEqual([half.uncertain, half.accepted, half.status], [1, 1, 'done'])
    assert.equal((await settle(second.id, 'refused')).status, 200)
    const ended = await world.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.refused, ended.status], [0, 0, 'done'])
    assert.equal((await settle(second.id, 'refused')).status, 409)
    assert.deepEqual(server.taken, [second.recipient])
    assert.ok(contacts.some(({ email }) => email === second.recipient))
    const [last] = await world.deliveries(`contactId=${second.contactId}`)
    assert.equal(last.messageId, second.messageId, 'the same message has the same Message-ID')
  })

  /** A sending that the worker of the test's own Mailyard does not look at, and two claims of another's. */
  const claimAsAnother = async (processId: string) => {
    const { storage } = shared.yard.app
    const emailId = await world.email(await world.transport(server.dsn))
    const { contacts } = await world.segment(2)
    const db = storage.tables<Tables>()
    const { id } = await db
      .insertInto('sendings')
      .values({ ...quietSending, email_id: emailId })
      .returning('id')
      .executeTakeFirstOrThrow()
    const recipients = contacts.map((contact) => ({
      email_id: emailId,
      contact_id: contact.id,
      sending_id: id,
      status: 'queued' as const,
      attempts: 0,
      due_at: 0,
      tried_at: null,
      claimed_by: null,
      attempt: null,
    }))
    await db.insertInto('sending_recipients').values(recipients).execute()
    const seen = { id: processId, seen_at: await storage.now() }
    await db.insertInto('sending_processes').values(seen).execute()
    const context = { storage, processId, now: Date.now() }
    const claims = await claim({ id, email_id: emailId, created_at: 0 }, 10, context)
    assert.equal(claims.length, 2)
    return { id, emailId, claims, context }
  }
  const transact = <Result>(work: (tx: Transaction<Tables>) => Promise<Result>) =>
    shared.yard.app.storage.transaction(work)
  const bury = (processId: string) =>
    transact(async (tx) => {
      await tx.deleteFrom('sending_processes').where('id', '=', processId).execute()
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
  const outcomeOf = (each: Claim, status: JobOutcome['status']): JobOutcome => ({
    sendingId: each.sendingId,
    emailId: each.emailId,
    contactId: each.contactId,
    status,
    dueAt: Date.now() + 3_600_000,
    delivery: {
      ...emptyDelivery({ source: 'job', caller: '', startedAt: 1_000, processId: 'zombie' }),
      contact_id: each.contactId,
      sending_id: each.sendingId,
      recipient: each.contact?.email ?? '',
      outcome: status === 'queued' ? 'refused' : status,
    },
  })

  test('what a dead process had claimed goes back, what it was sending is in doubt', async () => {
    const { id, claims, context } = await claimAsAnother('dead')
    const [first] = claims
    assert.ok(first)
    await transact((tx) => begin(tx.withTables<SendingTables>(), leaving([first]), context))
    await world.act(id, 'pause')
    assert.deepEqual(await bury('dead'), { requeued: 1, uncertain: 1 })
    const sending = await world.get(id)
    assert.deepEqual([sending.uncertain, sending.remaining], [1, 1])
    const [delivery] = await world.deliveries(`sendingId=${id}`)
    assert.deepEqual([delivery.outcome, delivery.contactId], ['uncertain', first.contactId])
    // As it left, whatever has become of contact, email and transport since.
    assert.deepEqual(
      [delivery.date, delivery.sender, delivery.recipient, delivery.transport],
      ['1970-01-01T00:00:05+00:00', 'then@brand.test', `then-${first.contactId}@x.test`, 'then'],
    )
    assert.equal(delivery.messageId, '<then@brand.test>')
    assert.deepEqual(delivery.trace, trace)
  })

  test('a process that was buried alive wins nothing more, and claims nothing', async () => {
    const { id, emailId, claims, context } = await claimAsAnother('zombie')
    await world.act(id, 'pause')
    await bury('zombie')
    const begun = await transact((tx) =>
      begin(tx.withTables<SendingTables>(), leaving(claims), context),
    )
    assert.deepEqual([...(begun.get(id)?.contactIds ?? [])], [])
    assert.deepEqual(await claim({ id, email_id: emailId, created_at: 0 }, 10, context), [])
  })

  test('what it learns of a message in doubt replaces the doubt, once, unless somebody has decided', async () => {
    const { id, claims, context } = await claimAsAnother('zombie')
    const [first, second] = claims
    assert.ok(first && second)
    await transact((tx) => begin(tx.withTables<SendingTables>(), leaving(claims), context))
    await world.act(id, 'pause')
    assert.deepEqual(await bury('zombie'), { requeued: 0, uncertain: 2 })
    const record = (outcome: JobOutcome) => transact((tx) => recordOutcomes(tx, [outcome], context))
    await record(outcomeOf(first, 'accepted'))
    // The end of the transaction was not heard of, so it is done again.
    await record(outcomeOf(first, 'accepted'))
    const told = await world.get(id)
    assert.deepEqual([told.accepted, told.uncertain, told.remaining], [1, 1, 0])
    assert.deepEqual(
      (await world.deliveries(`contactId=${first.contactId}`)).map(({ outcome }) => outcome),
      ['accepted'],
    )
    const [doubt] = await world.deliveries(`contactId=${second.contactId}`)
    const settle = `/api/deliveries/${doubt.id}/settle`
    await shared.yard.ask('POST', settle, { outcome: 'accepted' })
    await record(outcomeOf(second, 'refused'))
    const decided = await world.get(id)
    assert.deepEqual([decided.accepted, decided.refused, decided.uncertain], [2, 0, 0])
    const both = await world.deliveries(`contactId=${second.contactId}`)
    assert.deepEqual(both.map(({ outcome }) => outcome).sort(), ['accepted', 'refused'])
  })

  test('a temporary refusal that is learnt late is tried again, and a sending that was done goes on', async () => {
    server.act = () => undefined
    const { id, claims, context } = await claimAsAnother('late')
    await transact((tx) => begin(tx.withTables<SendingTables>(), leaving(claims), context))
    assert.deepEqual(await bury('late'), { requeued: 0, uncertain: 2 })
    assert.equal((await world.get(id)).status, 'done')
    const outcomes = claims.map((each) => ({ ...outcomeOf(each, 'queued'), dueAt: Date.now() }))
    await transact((tx) => recordOutcomes(tx, outcomes, context))
    const ended = await world.until(id, ({ accepted }) => accepted === 2)
    assert.deepEqual([ended.uncertain, ended.status], [0, 'done'])
  })

  test('a server may say what it likes: it is written down without holding anything up', async () => {
    server.act = () => ({ code: 550, text: '5.7.1 no\u0000body \ufffd' })
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment } = await world.segment(1)
    const id = await world.send(emailId, { segment })
    const done = await world.until(id, ({ status }) => status === 'done')
    server.act = () => undefined
    assert.equal(done.refused, 1)
  })
})
