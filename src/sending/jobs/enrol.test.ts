import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { type EnrolTables, enrol } from './enrol.ts'

const count = 2_000
const atOnce = 500

onEachDatabase('the recipients of a sending', (shared) => {
  const world = createJobWorld(() => shared.yard)

  test('are looked up one by one, also before the database has got to know its tables', async (context) => {
    const { storage } = shared.yard.app
    if (storage.kind === 'sqlite') return context.skip('SQLite counts nothing of what it reads.')
    await sql`alter table sending_recipients set (autovacuum_enabled = false)`.execute(
      storage.tables(),
    )
    const { contacts } = await world.segment(count)
    const ids = contacts.map(({ id }) => id)
    const { enrolled, read } = await storage.transaction(async (tx: Transaction<EnrolTables>) => {
      const options = { kind: storage.kind, now: 0 }
      let enrolled = 0
      for (const sending of [1, 2])
        for (let from = 0; from < count; from += atOnce) {
          const contactIds = ids.slice(from, from + atOnce)
          enrolled += await enrol(tx, { id: sending, email_id: 1 }, { ...options, contactIds })
        }
      const { rows } = await sql<{ read: number }>`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
        from pg_stat_xact_user_tables where relname = 'sending_recipients'`.execute(tx)
      return { enrolled, read: Number(rows[0]?.read) }
    })
    assert.equal(enrolled, 2 * count, 'a sending that does not run keeps nobody from another')
    assert.ok(read <= 2 * count, `${read} rows were read`)
  })
})
