import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { emptyBroadcast } from '../../test/broadcasts/empty-broadcast.ts'
import { testDatabases } from '../../test/databases.ts'
import { authMigrations } from '../auth/index.ts'
import { deliveryMigrations } from '../broadcasts/migrations.ts'
import { contactMigrations } from '../contacts/index.ts'
import { emptyDelivery } from '../delivery/log/delivery-row.ts'
import { defaultTransport, noTransport } from '../delivery/table.ts'
import { keyringMigrations, migrate, openStorage } from '../storage/index.ts'

type Tables = {
  queue_recipients: Record<string, unknown>
  broadcasts: Record<string, unknown>
  broadcast_recipients: Record<string, unknown>
  contacts: Record<string, unknown>
  deliveries: Record<string, unknown>
  queue_messages: Record<string, unknown>
  delivery_keys: Record<string, unknown>
}

/** The tables that those of deliveries refer to. */
const others = [keyringMigrations, authMigrations, contactMigrations]

describe('the migrations of the queue', () => {
  for (const { name, create } of testDatabases) {
    test(`keep the transport of each recipient, on ${name}`, async (context) => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      context.after(async () => {
        await storage.close()
        await database.drop()
      })
      const { '20261124_76_queue_transports': swap, ...earlier } = deliveryMigrations
      assert.ok(swap)
      await migrate(storage, [...others, earlier])
      const db = storage.tables<Tables>()
      const earlierIds = { none: 0, default: -1, seven: 7 }
      for (const [address, transport_id] of Object.entries(earlierIds))
        await db
          .insertInto('queue_recipients')
          .values({
            message_id: 1,
            address,
            address_key: address,
            state: 'queued',
            lane: 'bulk',
            transport_id,
            due_at: 1,
            created_at: 1,
            attempts: 0,
            message_key: address,
          })
          .execute()
      await migrate(storage, [...others, deliveryMigrations])
      const recipients = await db
        .selectFrom('queue_recipients')
        .select(['address', 'transport_id'])
        .execute()
      const idOf = new Map(recipients.map((row) => [row.address, row.transport_id]))
      assert.equal(idOf.get('none'), noTransport)
      assert.equal(idOf.get('default'), defaultTransport)
      assert.equal(idOf.get('seven'), 7)
    })

    test(`move the recipients of broadcasts into the queue, on ${name}`, async (context) => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      context.after(async () => {
        await storage.close()
        await database.drop()
      })
      const { '20261126_30_broadcasts_in_queue': move, ...earlier } = deliveryMigrations
      assert.ok(move)
      await migrate(storage, [...others, earlier])
      const db = storage.tables<Tables>()
      const { email_id, ...broadcast } = { ...emptyBroadcast, email_id: 5, due_at: 0 }
      const states = { 1: 'running', 2: 'paused', 3: 'done', 4: 'cancelled' }
      for (const [id, state] of Object.entries(states))
        await db
          .insertInto('broadcasts')
          .values({ ...broadcast, id: Number(id), email_id, state })
          .execute()
      const statesOf = {
        1: ['queued', 'claimed', 'attempting', 'uncertain', 'accepted', 'refused'],
        2: ['queued', 'uncertain'],
        3: ['accepted', 'refused', 'uncertain'],
        4: ['queued', 'accepted', 'uncertain'],
      }
      for (const [id, ofOne] of Object.entries(statesOf))
        for (const [index, state] of ofOne.entries()) {
          const contact_id = Number(id) * 10 + index
          const address = `${contact_id}@move.test`
          const record = { is_published: true, date_added: 1, revision: 1 }
          await db
            .insertInto('contacts')
            .values({
              ...record,
              id: contact_id,
              email: address,
              email_key: address,
              points: 0,
              field_values: '{}',
              tags: '[]',
              segments: '[]',
              search_text: '',
            })
            .execute()
          const about = { email_id, contact_id, broadcast_id: Number(id) }
          const due = { attempts: 2, due_at: 77, tried_at: null, claimed_by: null }
          await db
            .insertInto('broadcast_recipients')
            .values({ ...about, state, ...due })
            .execute()
          const outcome = state === 'attempting' ? 'started' : state
          if (!['started', 'accepted', 'refused', 'uncertain'].includes(outcome)) continue
          const started = emptyDelivery({
            source: 'broadcast',
            caller: 'Ann',
            startedAt: Date.now(),
            processId: 'p',
          })
          const { subject: _, ...row } = started
          await db
            .insertInto('deliveries')
            .values({ ...row, ...about, recipient: address, recipient_key: address, outcome })
            .execute()
        }
      await migrate(storage, [...others, deliveryMigrations])
      const moved = await db
        .selectFrom('queue_recipients')
        .innerJoin('queue_messages', 'queue_messages.id', 'queue_recipients.message_id')
        .select([
          'queue_recipients.contact_id',
          'queue_recipients.broadcast_id',
          'queue_messages.broadcast_id as message_of',
          'queue_recipients.state',
          'queue_recipients.address',
          'queue_recipients.attempts',
          'queue_recipients.due_at',
          'queue_recipients.expires_at',
        ])
        .orderBy('queue_recipients.contact_id')
        .execute()
      assert.deepEqual(
        moved.map((row) => [row['contact_id'], row['state']]),
        [
          [10, 'queued'],
          [11, 'queued'],
          [12, 'uncertain'],
          [13, 'uncertain'],
          [20, 'paused'],
          [21, 'uncertain'],
          [32, 'uncertain'],
          [42, 'uncertain'],
        ],
      )
      for (const row of moved) {
        assert.equal(row['message_of'], row['broadcast_id'])
        assert.equal(row['address'], `${Number(row['contact_id'])}@move.test`)
        assert.deepEqual([row['attempts'], row['due_at']], [2, 77])
        assert.ok(Number(row['expires_at']) > Date.now())
      }
      const keys = await db.selectFrom('delivery_keys').select(['key', 'kind']).execute()
      // They got the email, or may have got it: another broadcast of the email leaves them out.
      const having = [12, 13, 14, 21, 30, 32, 41, 42]
      assert.deepEqual(
        keys.map(({ key }) => key).sort(),
        having.map((contactId) => `email 5 contact ${contactId}`),
      )
      assert.ok(keys.every(({ kind }) => kind === 'bulk'))
      const messages = await db
        .selectFrom('queue_messages')
        .select(['broadcast_id', 'is_paused'])
        .orderBy('broadcast_id')
        .execute()
      assert.deepEqual(
        messages.map((row) => [row['broadcast_id'], Boolean(row['is_paused'])]),
        [
          [1, false],
          [2, true],
          [3, false],
          [4, true],
        ],
      )
    })
  }
})
