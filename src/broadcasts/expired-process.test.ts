import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import type { DeliveryTables } from '../delivery/table.ts'
import { recoverQueued } from '../queue/recover-recipients.ts'
import { countChanges } from './counts.ts'

onEachDatabase('a process that was expired and still runs', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()

  /** Expires this process as another one would, and registers it again. */
  const expireRunning = () => {
    const { storage } = shared.service.app
    return storage.transaction(async (tx: Transaction<DeliveryTables>) => {
      const expired = await tx.deleteFrom('delivery_processes').returningAll().execute()
      await tx
        .updateTable('deliveries')
        .set({ outcome: 'uncertain' })
        .where('outcome', '=', 'started')
        .execute()
      const now = Date.now()
      await recoverQueued(tx, {
        storage,
        countChanges: (each, changes) => countChanges(each, changes, { now }),
        processIds: expired.map(({ id }) => id),
        now,
      })
      await tx.insertInto('delivery_processes').values(expired).execute()
    })
  }

  test('sends one message to a recipient that it claims twice', async () => {
    server.delayMs = 150
    const transport = await fixture.transport(`${server.dsn}?max_connections=20`)
    const emailId = await fixture.email(transport)
    const { segment, contacts } = await fixture.segment(150)
    const id = await fixture.send(emailId, { segment })
    for (const share of [10, 20, 30, 40, 50, 60, 70, 80, 90]) {
      await fixture.until(id, ({ accepted, uncertain }) => accepted + uncertain >= share)
      await expireRunning()
    }
    const done = await fixture.until(
      id,
      ({ state, uncertain }) => state === 'done' && uncertain === 0,
    )
    const twice = server.taken.filter((each, index) => server.taken.indexOf(each) < index)
    assert.deepEqual(twice, [])
    assert.deepEqual([done.accepted, done.total], [contacts.length, contacts.length])
  })
})
