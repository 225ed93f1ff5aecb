import { before } from 'node:test'
import { emptyDelivery } from '../../src/core/delivery/log/delivery-row.ts'
import { type DeliveryTables, type Lane, noTransport } from '../../src/core/delivery/table.ts'
import type { QueueMessageRow, QueueRecipientRow, QueueTables } from '../../src/core/queue/table.ts'
import { emailKey } from '../../src/kit/normalize-for-search.ts'
import { addTransport, addUser, type TestPermissions } from '../callers.ts'
import type { SharedApp } from '../on-each-database.ts'
import type { TestApp } from '../test-app.ts'

type Row = Partial<QueueMessageRow & QueueRecipientRow>

/** What a test says of a message in the queue; the rest is plain. */
export type TestMessage = Omit<Row, 'message_id'> & { recipient: string | readonly string[] }

const sizeBytes = 1_000

/** A message in the queue. Its body cannot be read. */
export const plainMessage = {
  created_at: 0,
  expires_at: 0,
  lane: 'transactional' as Lane,
  caller: 'admin',
  submitter: '{}',
  sender: 'shop@a.test',
  message_id: '<m@a.test>' as string | null,
  subject: null,
  mautic_id: 0,
  email_id: null,
  contact_id: null,
  rendered: null,
  size_bytes: sizeBytes,
  key_id: 'none',
  body: new Uint8Array(8),
}
let keys = 0

/** Adds one message with its recipients to the queue; it is due now. Its body cannot be read. */
export async function addQueued(
  { app: { storage } }: { app: Pick<TestApp['app'], 'storage'> },
  now: number,
  message: TestMessage,
): Promise<void> {
  const { id, recipient, state, transport_id, due_at, attempts, problem, ...others } = message
  const { waits_for = null, brand_id = 0, brake_id = null, ...facts } = others
  const db = storage.tables<QueueTables>()
  const { lane = 'transactional', created_at = now } = facts
  const ids = id === undefined ? {} : { id }
  const row = { ...plainMessage, ...ids, created_at, expires_at: now + 86_400_000, ...facts }
  const { id: messageId } = await db
    .insertInto('queue_messages')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const address of [recipient].flat()) {
    keys += 1
    const own = {
      ...ids,
      ...{ message_id: messageId, address, address_key: emailKey(address), lane, created_at },
    }
    const attempt = { attempts: attempts ?? 0, problem: problem ?? null, claimed_by: null }
    const due = {
      state: state ?? 'queued',
      transport_id: transport_id ?? noTransport,
      due_at: due_at ?? now,
      waits_for,
      brand_id,
      brake_id,
    }
    const identity = { message_key: `key ${keys}`, bulk_key: null }
    await db
      .insertInto('queue_recipients')
      .values({ ...own, ...due, ...attempt, ...identity })
      .execute()
  }
}

/** Fills and reads the queue of the app that the tests share; nothing in it is sent. */
export function createTestQueue(shared: SharedApp) {
  const tables = () => shared.service.app.storage.tables<QueueTables & DeliveryTables>()
  let transportId = 0
  before(async () => {
    transportId = (await addTransport(shared.service, { name: 'T' })).id
  })
  const rowOf = (address: string) =>
    tables()
      .selectFrom('queue_recipients')
      .selectAll()
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
  return {
    sizeBytes,
    get transportId() {
      return transportId
    },
    ask: shared.ask,
    add: (message: TestMessage) => addQueued(shared.service, shared.clock.now(), message),
    /** Adds one message to many recipients. */
    async addMany(count: number, message: Omit<TestMessage, 'recipient'>) {
      const now = shared.clock.now()
      keys += 1
      const first = `first-${keys}@many.test`
      await addQueued(shared.service, now, { ...message, recipient: first })
      const { id, ...row } = await rowOf(first)
      const rows = Array.from({ length: count - 1 }, (_, index) => {
        const address = `${keys}-${index}@many.test`
        return { ...row, address, address_key: address, message_key: `many ${keys} ${index}` }
      })
      for (let from = 0; from < rows.length; from += 1_000)
        await tables()
          .insertInto('queue_recipients')
          .values(rows.slice(from, from + 1_000))
          .execute()
      return id
    },
    /** Adds the delivery of an attempt whose outcome is uncertain; returns its id. */
    async addUncertainDelivery(address: string): Promise<number> {
      const { message_key } = await rowOf(address)
      const started = { source: 'smtp' as const, caller: 'admin', startedAt: 1, processId: 'x' }
      const about = { recipient: address, recipient_key: address }
      const row = { ...emptyDelivery(started), ...about, outcome: 'uncertain' as const }
      const insert = tables().insertInto('deliveries').values(row).returning('id')
      const { id } = await insert.executeTakeFirstOrThrow()
      const key = { key: message_key, kind: 'message' as const, delivery_id: id, started_at: 1 }
      await tables().insertInto('delivery_keys').values(key).execute()
      return id
    },
    /** Gives a delivery the Message-ID of a queued message, and a time. */
    async nameDelivery(id: number, messageId: string, startedAt: number) {
      const update = tables().updateTable('deliveries').where('id', '=', id)
      await update.set({ message_id: messageId, started_at: startedAt }).execute()
    },
    idOf: async (address: string) => (await rowOf(address)).id,
    async countMessages(): Promise<number> {
      return (await tables().selectFrom('queue_messages').select('id').execute()).length
    },
    async clear() {
      await tables().deleteFrom('queue_recipients').execute()
      await tables().deleteFrom('queue_messages').execute()
    },
    addCaller: async (permissions: TestPermissions) =>
      (await addUser(shared.service, permissions)).as,
  }
}
