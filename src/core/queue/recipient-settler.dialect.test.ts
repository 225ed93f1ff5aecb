import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../../test/callers.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { openTestStore } from '../../../test/queue/open-test-store.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import { silentLog } from '../delivery/log/simulated-process.case.test.ts'
import { createReply, type RecipientReport } from '../delivery/submission/recipient-reports.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import { BulkBrakes } from './brakes/bulk-brakes.ts'
import type { Settlement } from './queue-store.ts'
import { RecipientSettler } from './recipient-settler.ts'
import { openNotices } from './simulated-queue.case.test.ts'
import type { QueueTables } from './table.ts'
import { TransportHolds } from './transport-holds.ts'

const now = 1_000_000_000_000
const dayMs = 86_400_000
const transportId = 7
const due = { transportId: noTransport, lane: 'bulk' as const, limit: 1 }
const clock = clockAt(() => now)

const later = { state: 'unsent', reply: createReply(451, '4.3.2', 'later'), transportId } as const
const deferred = { ...later, state: 'deferred', reply: createReply(451, '4.3.0', 'later') } as const
const busyMailbox = {
  code: 'throttled',
  scope: 'message',
  stage: 'connect',
  message: '10 wait already.',
  hint: '',
  reply: null,
  isPermanent: false,
  retryAfterMs: 60_000,
} as const

onEachDatabase('a recipient after an attempt', { isStarted: false }, (shared) => {
  const db = () => shared.service.app.storage.tables<QueueTables & DeliveryTables>()
  const openProcess = async (id: string) => {
    await db().insertInto('delivery_processes').values({ id, seen_at: now }).execute()
    return openTestStore(shared.service.app.storage, id)
  }
  /** A bulk message with one recipient, and what settles its attempts. */
  const open = async ({ expires_at = now + dayMs } = {}) => {
    const { storage } = shared.service.app
    await db().deleteFrom('delivery_processes').execute()
    const address = `${uniqueName('r')}@rcpt.test`
    await addQueued(shared.service, now, { recipient: address, lane: 'bulk', expires_at })
    const store = await openProcess('settles')
    const [recipient] = await store.claim(due, now)
    assert.equal(recipient?.address, address)
    const [queued] = await store.findMessages([recipient.message_id])
    assert.ok(queued)
    const { message } = queued
    const settler = new RecipientSettler({
      store,
      clock,
      log: silentLog,
      random: () => 0.5,
      notices: openNotices(store, { storage, clock }),
      brakes: new BulkBrakes({ storage, clock, log: silentLog }),
      retriesUncertain: false,
    })
    /** Settles an attempt; returns the recipient in the queue. */
    const settle = async (answer: Omit<RecipientReport, 'address'>) => {
      const report = { ...answer, address }
      const result = { message, recipient, report, failure: undefined }
      await settler.settle(message, [result], (write) => write())
      const query = db().selectFrom('queue_recipients').select(['state', 'due_at', 'attempts'])
      return query.where('id', '=', recipient.id).executeTakeFirst()
    }
    const logged = async () => {
      const query = db().selectFrom('deliveries').select('outcome').where('recipient', '=', address)
      return (await query.execute()).map(({ outcome }) => outcome)
    }
    return { store, recipient, message, settle, logged }
  }

  const untried: Record<string, [Omit<RecipientReport, 'address'>, number]> = {
    'its turn': [{ ...later, deferredUntil: now + 1_000 }, now + 1_000],
    'a busy mailbox': [{ ...deferred, fault: busyMailbox }, now + 66_000],
    'another attempt': [
      { ...later, state: 'duplicate', original: { id: 1, outcome: 'started' } as never },
      now + 30_000,
    ],
  }
  for (const [what, [report, dueAt]] of Object.entries(untried))
    test(`that waits for ${what} has not been tried, and does not expire by that`, async () => {
      for (const expires_at of [now + dayMs, now]) {
        const { settle, logged } = await open({ expires_at })
        assert.deepEqual(await settle(report), { state: 'queued', due_at: dueAt, attempts: 0 })
        assert.deepEqual(await logged(), [])
      }
    })

  const tried: Record<string, Omit<RecipientReport, 'address'>> = {
    'a server has refused it for now': deferred,
    'a limit is reached': { ...later, deferredUntil: now + dayMs, isLimited: true },
    'its transport fails': { ...later, deferredUntil: now + dayMs, waitsForRepair: true },
  }
  for (const [why, report] of Object.entries(tried))
    test(`expires at the end of its lifetime where ${why}`, async () => {
      const { settle, logged } = await open({ expires_at: now })
      assert.equal(await settle(report), undefined)
      assert.deepEqual(await logged(), ['expired'])
    })

  test('is logged as expired once, by the process that has its claim', async () => {
    const { store, recipient, message, logged } = await open()
    const other = await openProcess('other')
    await db()
      .updateTable('queue_recipients')
      .set({ state: 'queued', claimed_by: null })
      .where('id', '=', recipient.id)
      .execute()
    assert.equal((await other.claim(due, now)).length, 1)
    const { id, address } = recipient
    const outcome = {
      outcome: 'expired' as const,
      message,
      brand: 0,
      address,
      reason: 'It is too late.',
    }
    const expiry: Settlement = { id, state: 'done', expired: { outcome, at: now } }
    await store.settle(expiry)
    assert.deepEqual(await logged(), [])
    await other.settle(expiry)
    await other.settle(expiry)
    assert.deepEqual(await logged(), ['expired'])
  })

  test('is held if its transport is held, and not if that was released during the attempt', async () => {
    const { storage } = shared.service.app
    const holds = new TransportHolds({ storage, clock, log: silentLog })
    await holds.add(transportId, 'Ann')
    const held = { ...later, ...holds.find(transportId) }
    assert.equal(held.brakeId, null)
    assert.equal((await (await open()).settle(held))?.state, 'held')
    const second = await open()
    await holds.remove(transportId)
    assert.equal((await second.settle(held))?.state, 'queued')
  })
})
