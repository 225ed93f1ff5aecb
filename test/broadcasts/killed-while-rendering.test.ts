import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { openRenderMarks } from '../../src/broadcasts/render-marks.ts'
import type { BroadcastTables } from '../../src/broadcasts/table.ts'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import { openStorage } from '../../src/storage/index.ts'
import { asAdmin } from '../administrator.ts'
import { testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { onEachDatabase } from '../on-each-database.ts'
import { createBroadcastFixture } from './broadcast-fixture.ts'

/** An email that takes as long as one may. */
const slowHtml = '{% for a in 1..1000 %}{% for b in 1..1000 %}{{ a * b }}{% endfor %}{% endfor %}'
const env = { ...apiSettings, MAILYARD_MAILER_DSN: 'null://null' }

async function ask(mailyard: MailyardProcess, path: string, body?: object) {
  const response = await fetch(`${mailyard.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json() as Promise<Record<string, never>>
}

for (const { name, createMigrated } of testDatabases) {
  test(`a broadcast whose email was being rendered when the process was killed is paused, on ${name}`, async () => {
    const database = await createMigrated()
    const storage = openStorage({ url: database.url, onIdleError: () => undefined })
    const db = storage.tables<BroadcastTables & DeliveryTables>()
    let mailyard = await startMailyard({ databaseUrl: database.url, env })
    try {
      const contact = { email: 'a@example.com', segments: ['all'] }
      await ask(mailyard, '/api/contacts/new', contact)
      const email = { name: 'slow', subject: 's', isTwig: true, customHtml: slowHtml }
      const { email: saved } = (await ask(mailyard, '/api/emails/new', email)) as never as {
        email: { id: number }
      }
      await ask(mailyard, `/api/emails/${saved.id}/send`, { segment: 'all' })
      const isRendering = () =>
        db
          .selectFrom('delivery_processes')
          .select('id')
          .where('rendering', 'is not', null)
          .execute()
      while ((await isRendering()).length === 0) await setTimeout(1)
      mailyard.kill('SIGKILL')
      await mailyard.ended
      mailyard = await startMailyard({ databaseUrl: database.url, env })
      // With PostgreSQL, other processes may run: this one expires after 15 seconds.
      const silent = db.updateTable('delivery_processes').set({ seen_at: 0 })
      await silent.where('rendering', 'is not', null).execute()
      let broadcast = { state: 'running', problem: '' }
      while (broadcast.state === 'running') {
        await setTimeout(20)
        broadcast = (await ask(mailyard, '/api/broadcasts/1'))['broadcast'] ?? broadcast
      }
      assert.equal(broadcast.state, 'paused')
      assert.match(broadcast.problem, /ended while it rendered this email/)
      assert.deepEqual(await isRendering(), [])
    } finally {
      await mailyard.stop()
      await storage.close()
      await database.drop()
    }
  })
}

onEachDatabase('a broadcast whose email another process renders', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)

  test('is left alone until that process has rendered it', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<BroadcastTables & DeliveryTables>()
    const other = openRenderMarks(storage, 'other')
    await db
      .insertInto('delivery_processes')
      .values({ id: 'other', seen_at: Date.now() + 1_000 })
      .execute()
    const emailId = await fixture.email(await fixture.transport('null://null'))
    const { segment, contacts } = await fixture.segment(3)
    const next = (await db.selectFrom('broadcasts').select('id').execute()).length + 1
    await other.set(next)
    const id = await fixture.send(emailId, { segment })
    assert.equal(id, next)
    await setTimeout(600)
    const row = await db
      .selectFrom('broadcasts')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    assert.deepEqual([row?.state, row?.accepted], ['running', 0])
    await other.set(null)
    const done = await fixture.until(id, ({ state }) => state === 'done')
    assert.equal(done.accepted, contacts.length)
    await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
      await tx.deleteFrom('delivery_processes').where('id', '=', 'other').execute()
    })
  })
})
