import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { ContactTables } from '../../contacts/index.ts'
import { openStorage } from '../../storage/index.ts'
import { openContactLookup } from './copies.ts'

const count = 10_000

onEachDatabase('the contact of a message', (shared) => {
  test('is found by the index on addresses, even without statistics', async (context) => {
    const shop = shared.service.app.storage
    if (shop.runsInProcess) return context.skip('SQLite counts nothing of what it reads.')
    await sql`alter table contacts set (autovacuum_enabled = false)`.execute(shop.tables())
    const contacts = Array.from({ length: count }, (_, index) => ({ email: `${index}@read.test` }))
    await shared.service.ask('POST', '/api/contacts/batch/new', contacts)
    // With a single connection, whose counters of read rows are checked.
    const storage = openStorage({ url: shared.database.url, onIdleError: () => undefined })
    const db = storage.tables<ContactTables>()
    // Look-ups have a connection of their own.
    const flush = sql`select pg_stat_force_next_flush()`.compile(db)
    const read = async () => {
      await storage.first(flush)
      await sql`select pg_stat_force_next_flush()`.execute(db)
      const { rows } = await sql<{ read: string }>`
        select seq_tup_read + idx_tup_fetch as read
        from pg_stat_user_tables where relname = 'contacts'`.execute(db)
      return Number(rows[0]?.read)
    }
    try {
      const lookup = openContactLookup(storage)
      const before = await read()
      assert.equal(await lookup.byAddress('unknown@read.test'), undefined)
      assert.equal((await lookup.byAddress('7@read.test'))?.email, '7@read.test')
      const after = await read()
      assert.equal(after - before, 1)
    } finally {
      await storage.close()
    }
  })
})
