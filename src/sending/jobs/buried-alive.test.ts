import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { useScriptedServer } from '../../../test/sending-jobs/scripted-server.ts'
import type { DeliveryTables } from '../table.ts'
import { recoverRecipients } from './recover.ts'
import type { SendingTables } from './table.ts'

type Tables = SendingTables & DeliveryTables

onEachDatabase('a process that was taken for dead and lives on', (shared) => {
  const world = createJobWorld(() => shared.yard)
  const server = useScriptedServer()

  /** What another process does that has not seen this one for long; this one is back at once. */
  const buryAlive = () =>
    shared.yard.app.storage.transaction(async (tx: Transaction<Tables>) => {
      const dead = await tx.deleteFrom('sending_processes').returningAll().execute()
      const ids = dead.map((process) => process.id)
      await recoverRecipients(tx.withTables<DeliveryTables>(), ids, Date.now())
      await tx.insertInto('sending_processes').values(dead).execute()
    })

  test('sends to nobody twice whom it claims a second time', async () => {
    server.delayMs = 150
    const transport = await world.transport(`${server.dsn}?max_connections=20`)
    const emailId = await world.email(transport)
    const { segment, contacts } = await world.segment(150)
    const id = await world.send(emailId, { segment })
    for (const share of [10, 20, 30, 40, 50, 60, 70, 80, 90]) {
      await world.until(id, ({ accepted, uncertain }) => accepted + uncertain >= share)
      await buryAlive()
    }
    const done = await world.until(
      id,
      ({ status, uncertain }) => status === 'done' && uncertain === 0,
    )
    const twice = server.taken.filter((each, index) => server.taken.indexOf(each) < index)
    assert.deepEqual(twice, [])
    assert.deepEqual([done.accepted, done.total], [contacts.length, contacts.length])
  })
})
