import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { ContactTables } from '../../contacts/index.ts'
import { openStorage } from '../../storage/index.ts'
import { openContactLookup } from './contact-lookup.ts'

const count = 10_000

onEachDatabase('whom a message is for', (shared) => {
  test('is found by the address alone, also before the database has got to know its contacts', async (context) => {
    const shop = shared.yard.app.storage
    if (shop.kind === 'sqlite') return context.skip('SQLite counts nothing of what it reads.')
    await sql`alter table contacts set (autovacuum_enabled = false)`.execute(shop.tables())
    const contacts = Array.from({ length: count }, (_, index) => ({ email: `${index}@read.test` }))
    await shared.yard.ask('POST', '/api/contacts/batch/new', contacts)
    // One with a single connection in use, which is asked what it has read.
    const storage = openStorage({ url: shared.database.url, onIdleError: () => undefined })
    const db = storage.tables<ContactTables>()
    const read = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db)
      const { rows } = await sql<{ read: string }>`
        select seq_tup_read + idx_tup_fetch as read
        from pg_stat_user_tables where relname = 'contacts'`.execute(db)
      return Number(rows[0]?.read)
    }
    try {
      const lookup = openContactLookup(storage)
      const before = await read()
      assert.equal(await lookup.byAddress('nobody@read.test'), undefined)
      assert.equal((await lookup.byAddress('7@read.test'))?.email, '7@read.test')
      const after = await read()
      assert.equal(after - before, 1)
    } finally {
      await storage.close()
    }
  })
})
