import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { addBroadcast } from '../../test/queue/add-broadcast.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { silentLog } from '../delivery/log/simulated-process.case.test.ts'
import type { RecipientReport } from '../delivery/submission/recipient-reports.ts'
import { createReply } from '../delivery/submission/reply.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import { BulkBrakes } from './bulk-brakes.ts'
import { Notices } from './notices.ts'
import { RecipientSettler } from './recipient-settler.ts'
import type { QueueTables } from './table.ts'
import { TransportHolds } from './transport-holds.ts'

const now = 1_000_000_000_000
const dayMs = 86_400_000
const transportId = 7
const processId = 'settles'
const clock = { now: () => now }

const later = { state: 'unsent', reply: createReply(451, '4.3.2', 'later'), transportId } as const
const deferred = {
  state: 'deferred',
  reply: createReply(451, '4.3.0', 'later'),
  transportId,
} as const
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

onEachDatabase(
  'a recipient of a broadcast after an attempt',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)

    /** The recipient of a broadcast, whose lifetime is over, and what settles its attempts. */
    const open = async () => {
      const { storage } = shared.service.app
      const db = storage.tables<QueueTables & DeliveryTables>()
      await db.deleteFrom('delivery_processes').execute()
      await db.insertInto('delivery_processes').values({ id: processId, seen_at: now }).execute()
      const { contacts } = await fixture.segment(1)
      const contactIds = contacts.map(({ id }) => id)
      const emailId = await fixture.email(null)
      const id = await addBroadcast(storage, { emailId, contactIds, now, expiresAt: now })
      const store = openTestStore(storage, processId)
      const [recipient] = await store.claim(
        { transportId: noTransport, lane: 'bulk', limit: 1 },
        now,
      )
      assert.ok(recipient)
      const [queued] = await store.findMessages([recipient.message_id])
      assert.ok(queued)
      const { message } = queued
      const settler = new RecipientSettler({
        store,
        clock,
        log: silentLog,
        random: () => 0.5,
        notices: new Notices({
          storage,
          store,
          notifySender: async () => undefined,
          openBody: async () => new Uint8Array(),
          clock,
          log: silentLog,
          onRemoved: () => undefined,
        }),
        brakes: new BulkBrakes({ storage, clock, log: silentLog }),
        retriesUncertain: false,
      })
      /** Settles an attempt; returns the recipient in the queue. */
      const settle = async (answer: Omit<RecipientReport, 'address'>) => {
        const report = { ...answer, address: recipient.address }
        const result = { message, recipient, report, failure: undefined }
        await settler.settle(message, [result], async (write) => void (await write()))
        const query = db.selectFrom('queue_recipients').select(['state', 'due_at', 'attempts'])
        return query.where('id', '=', recipient.id).executeTakeFirst()
      }
      return { id, settle }
    }

    const untried: Record<string, [Omit<RecipientReport, 'address'>, number]> = {
      'a limit': [{ ...later, deferredUntil: now + dayMs }, now + dayMs],
      'a busy mailbox': [{ ...deferred, fault: busyMailbox }, now + 66_000],
      'another attempt': [
        { ...later, state: 'duplicate', original: { id: 1, outcome: 'started' } as never },
        now + 30_000,
      ],
    }
    for (const [what, [report, dueAt]] of Object.entries(untried))
      test(`does not expire while it waits for ${what}`, async () => {
        const { id, settle } = await open()
        assert.deepEqual(await settle(report), { state: 'queued', due_at: dueAt, attempts: 0 })
        assert.deepEqual(await fixture.deliveries(`broadcastId=${id}`), [])
      })

    const tried: Record<string, Omit<RecipientReport, 'address'>> = {
      'a server has refused it for now': deferred,
      'its transport fails': { ...later, deferredUntil: now + dayMs, waitsForRepair: true },
    }
    for (const [why, report] of Object.entries(tried))
      test(`expires at the end of its lifetime where ${why}`, async () => {
        const { id, settle } = await open()
        assert.equal(await settle(report), undefined)
        const logged = await fixture.deliveries(`broadcastId=${id}`)
        assert.deepEqual(
          logged.map((each) => each['outcome']),
          ['expired'],
        )
        const { state, refused } = await fixture.get(id)
        assert.deepEqual([state, refused], ['done', 1])
      })

    test('has its outcome also if its broadcast was paused just when it was tried', async () => {
      const { id, settle } = await open()
      await fixture.act(id, 'pause')
      const reply = createReply(250, '2.0.0', 'ok')
      assert.equal(await settle({ state: 'accepted', reply, transportId }), undefined)
      const { accepted, remaining } = await fixture.get(id)
      assert.deepEqual([accepted, remaining], [1, 0])
    })

    test('is held if its transport is held, and not if that was released during the attempt', async () => {
      const { storage } = shared.service.app
      const holds = new TransportHolds({ storage, clock, log: silentLog })
      await holds.add(transportId, 'Ann')
      const held = { ...later, ...holds.find(transportId) }
      assert.equal(held.brakeId, null)
      const [first, second, third] = [await open(), await open(), await open()]
      assert.equal((await first.settle(held))?.state, 'held')
      await holds.remove(transportId)
      assert.equal((await second.settle(held))?.state, 'queued')
      await storage
        .tables<QueueTables>()
        .updateTable('queue_messages')
        .set({ is_paused: true })
        .where('broadcast_id', '=', third.id)
        .execute()
      assert.equal((await third.settle(held))?.state, 'paused', 'its broadcast is paused')
    })
  },
  { isStarted: false },
)
