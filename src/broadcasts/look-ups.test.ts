import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { addBroadcast } from '../../test/queue/add-broadcast.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import type { Storage } from '../storage/index.ts'
import { addRecipients, type ProducerTables } from './producer.ts'
import {
  countWaiting,
  pauseRecipients,
  removeWaiting,
  resumeRecipients,
} from './queued-recipients.ts'

type Tables = ProducerTables & DeliveryTables

const count = 3_000
const atOnce = 500
const claimed = 50
const processId = 'the one that sends'
const lookedUp = ['queue_recipients', 'queue_messages', 'delivery_keys']

/** Does all work in one transaction, which counts what it reads. */
function within(tx: Transaction<Tables>, storage: Storage): Storage {
  return {
    ...storage,
    tables: () => tx as never,
    transaction: (work) => work(tx as never),
    flush: async () => undefined,
  }
}

/** Counts the rows that some work reads by scanning a table. */
async function scannedBy(tx: Transaction<Tables>, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const { rows } = await sql<{ read: number }>`select sum(seq_tup_read) as read
      from pg_stat_xact_user_tables where relname in (${sql.join(lookedUp)})`.execute(tx)
    return Number(rows[0]?.read)
  }
  const earlier = await read()
  await work()
  return (await read()) - earlier
}

onEachDatabase(
  'the recipients of a broadcast',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    before(async () => {
      const { storage } = shared.service.app
      if (storage.runsInProcess) return
      const tables = storage.tables<DeliveryTables>()
      for (const name of lookedUp)
        await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(tables)
      const seen_at = await storage.now()
      await tables.insertInto('delivery_processes').values({ id: processId, seen_at }).execute()
    })

    test('are added, claimed, settled, counted, paused and removed by index, even without statistics', async (context) => {
      const { storage } = shared.service.app
      if (storage.runsInProcess) return context.skip('SQLite counts nothing of what it reads.')
      const { contacts } = await fixture.segment(count)
      const contactIds = contacts.map(({ id }) => id)
      const times = { now: 1, expiresAt: Number.MAX_SAFE_INTEGER }
      await sql`insert into queue_messages
          (created_at, expires_at, lane, caller, submitter, sender, size_bytes, key_id, body)
        select 0, 0, 'bulk', '', '{}', '', 0, '', '' from generate_series(1, ${count})`.execute(
        storage.tables(),
      )
      await sql`insert into delivery_keys (key, kind, delivery_id, started_at)
        select 'key ' || cast(n as text), 'bulk', n, n from generate_series(1, ${count}) n`.execute(
        storage.tables(),
      )
      // Many recipients of another one, which are not due.
      const other = { emailId: 1, contactIds, transportId: 7, ...times, now: 2_000_000_000_000 }
      await addBroadcast(storage, other)
      const id = await addBroadcast(storage, { emailId: 2, contactIds: [], ...times })
      await storage.transaction(async (tx: Transaction<Tables>) => {
        await tx.updateTable('broadcasts').set({ total: count }).where('id', '=', id).execute()
        const store = openTestStore(within(tx, storage), processId)
        const batch = { storage, transportId: noTransport, senderDomain: 'b.test', ...times }
        const steps = {
          async add() {
            let added = 0
            for (let from = 0; from < count; from += atOnce) {
              const some = contactIds.slice(from, from + atOnce)
              const to = { id, email_id: 2 }
              added += await addRecipients(tx, to, { ...batch, contactIds: some })
            }
            assert.equal(added, count)
          },
          findDue: () => store.findDue(Date.now()),
          async claimAndSettle() {
            const due = { transportId: noTransport, lane: 'bulk' as const, limit: claimed }
            const recipients = await store.claim(due, Date.now())
            assert.equal(recipients.length, claimed)
            const ids = recipients.map((each) => each.id)
            assert.equal((await store.findSendable(tx as never, ids)).size, claimed)
            const done = { state: 'done', end: 'accepted', isAttempted: true } as const
            await Promise.all(ids.map((each) => store.settle({ id: each, ...done })))
          },
          async count() {
            assert.equal(await countWaiting(tx, id), count - claimed)
          },
          async claimAndPause() {
            const due = { transportId: noTransport, lane: 'bulk' as const, limit: claimed }
            assert.equal((await store.claim(due, Date.now())).length, claimed)
            await pauseRecipients(tx, id)
          },
          resume: () => resumeRecipients(tx, id, times.expiresAt),
          release: () => store.releaseClaims(),
          remove: () => removeWaiting(tx, id),
        }
        for (const [name, step] of Object.entries(steps))
          assert.equal(await scannedBy(tx, step), 0, `${name} scans no table`)
      })
      const done = await fixture.get(id)
      assert.deepEqual([done.accepted, done.remaining], [claimed, count - claimed])
    })
  },
  { isStarted: false },
)
