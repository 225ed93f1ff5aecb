import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { createBroadcastFixture } from '../../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryTables } from '../table.ts'
import { type AddRecipientsTables, addRecipients } from './prepare.ts'
import { type Settlement, settleRecipients } from './recipient-states.ts'

type Tables = AddRecipientsTables & DeliveryTables

const count = 2_000
const atOnce = 500
const processId = 'the one that sends'

const settlementOf = (contactId: number): Settlement => {
  return { broadcastId: 2, emailId: 1, contactId, state: 'accepted', dueAt: 0, triedAt: 0 }
}

/** Counts the recipients that this transaction has read. */
const recipientsRead = async (tx: Transaction<Tables>) => {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = 'broadcast_recipients'`.execute(tx)
  return Number(rows[0]?.read)
}

onEachDatabase('the recipients of a broadcast', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  before(async () => {
    const { storage } = shared.service.app
    if (storage.runsInProcess) return
    await sql`alter table broadcast_recipients set (autovacuum_enabled = false)`.execute(
      storage.tables(),
    )
  })

  test('are looked up by primary key, even without statistics', async (context) => {
    const { storage } = shared.service.app
    if (storage.runsInProcess) return context.skip('SQLite counts nothing of what it reads.')
    const { contacts } = await fixture.segment(count)
    const ids = contacts.map(({ id }) => id)
    await storage.transaction(async (tx: Transaction<Tables>) => {
      let added = 0
      for (const id of [1, 2])
        for (let from = 0; from < count; from += atOnce) {
          const contactIds = ids.slice(from, from + atOnce)
          const options = { storage, contactIds, now: 0, senderDomain: 'example.com' }
          added += (await addRecipients(tx, { id, email_id: 1 }, options)).added
        }
      assert.equal(
        added,
        2 * count,
        'a broadcast that does not run excludes no contact from another',
      )
      const readToEnrol = await recipientsRead(tx)
      assert.ok(readToEnrol <= 2 * count, `${readToEnrol} were read`)

      await tx
        .updateTable('broadcast_recipients')
        .set({ state: 'attempting', claimed_by: processId })
        .where('broadcast_id', '=', 2)
        .execute()
      const some = ids.slice(0, 100)
      const before = await recipientsRead(tx)
      const context = { storage, processId, now: 0 }
      await settleRecipients(
        tx.withTables<DeliveryTables>(),
        some.map((contactId) => settlementOf(contactId)),
        context,
      )
      const readToEnd = (await recipientsRead(tx)) - before
      assert.ok(readToEnd <= 2 * some.length, `${readToEnd} were read`)
      const { accepted } = await tx
        .selectFrom('broadcast_recipients')
        .select((where) => where.fn.countAll<number>().as('accepted'))
        .where('state', '=', 'accepted')
        .executeTakeFirstOrThrow()
      assert.equal(accepted, some.length)
    })
  })
})
