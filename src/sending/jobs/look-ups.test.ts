import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import { type EnrolTables, enrol } from './enrol.ts'
import { type JobOutcome, recordOutcomes } from './outcomes.ts'

type Tables = EnrolTables & DeliveryTables

const count = 2_000
const atOnce = 500
const processId = 'the one that sends'

const outcomeOf = (contactId: number): JobOutcome => ({
  sendingId: 2,
  emailId: 1,
  contactId,
  status: 'accepted',
  dueAt: 0,
  delivery: emptyDelivery({ source: 'job', caller: '', startedAt: 0, processId }),
})

/** How many recipients this transaction has read so far. */
const recipientsRead = async (tx: Transaction<Tables>) => {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = 'sending_recipients'`.execute(tx)
  return Number(rows[0]?.read)
}

onEachDatabase('the recipients of a sending', (shared) => {
  const world = createJobWorld(() => shared.yard)
  before(async () => {
    const { storage } = shared.yard.app
    if (storage.kind === 'sqlite') return
    await sql`alter table sending_recipients set (autovacuum_enabled = false)`.execute(
      storage.tables(),
    )
  })

  test('are looked up one by one, also before the database has got to know its tables', async (context) => {
    const { storage } = shared.yard.app
    if (storage.kind === 'sqlite') return context.skip('SQLite counts nothing of what it reads.')
    const { contacts } = await world.segment(count)
    const ids = contacts.map(({ id }) => id)
    await storage.transaction(async (tx: Transaction<Tables>) => {
      let enrolled = 0
      for (const id of [1, 2])
        for (let from = 0; from < count; from += atOnce) {
          const contactIds = ids.slice(from, from + atOnce)
          const options = { kind: storage.kind, contactIds, now: 0 }
          enrolled += (await enrol(tx, { id, email_id: 1 }, options)).enrolled
        }
      assert.equal(enrolled, 2 * count, 'a sending that does not run keeps nobody from another')
      const readToEnrol = await recipientsRead(tx)
      assert.ok(readToEnrol <= 2 * count, `${readToEnrol} were read`)

      await tx
        .updateTable('sending_recipients')
        .set({ status: 'sending', claimed_by: processId })
        .where('sending_id', '=', 2)
        .execute()
      const some = ids.slice(0, 100)
      const before = await recipientsRead(tx)
      await recordOutcomes(tx, some.map(outcomeOf), { storage, processId, now: 0 })
      const readToEnd = (await recipientsRead(tx)) - before
      assert.ok(readToEnd <= 2 * some.length, `${readToEnd} were read`)
      const { accepted } = await tx
        .selectFrom('sending_recipients')
        .select((where) => where.fn.countAll<number>().as('accepted'))
        .where('status', '=', 'accepted')
        .executeTakeFirstOrThrow()
      assert.equal(accepted, some.length)
    })
  })
})
