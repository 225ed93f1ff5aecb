import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { createTestQueue } from '../../test/queue/test-queue.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import type { DeliveryTables } from '../delivery/table.ts'
import { recoverQueued } from './recover-recipients.ts'
import type { QueueTables } from './table.ts'

const hourMs = 3_600_000
const keepMs = 24 * hourMs

onEachDatabase('a queued recipient whose outcome is uncertain', (shared) => {
  const queue = createTestQueue(shared)
  const server = useScriptedServer()
  const processId = 'expired'
  const find = async (address: string) => {
    const query = shared.service.app.storage.tables<QueueTables>().selectFrom('queue_recipients')
    return query.select(['id', 'state']).where('address', '=', address).executeTakeFirst()
  }

  /** Submits a message in the mode hybrid to a server that disconnects before its last reply. */
  const submitHybrid = async (to: string) => {
    const { service } = shared
    const { name } = await addTransport(service, { mailerDsn: server.dsn })
    server.act = () => 'hang up'
    const text = `X-Mailyard-Transport: ${name}\nMessage-ID: <${to}>\n\nHello`
    const replies = await submitMessage(service, undefined, { to, text, mode: 'hybrid' })
    assert.deepEqual(replies, ['250 2.0.0'])
  }
  /** Claims a message for a process that expires during its attempt. */
  const expireDuringAttempt = async (to: string) => {
    const { storage } = shared.service.app
    await queue.add({ recipient: to })
    const claimed = { state: 'claimed' as const, claimed_by: processId }
    const update = storage.tables<QueueTables>().updateTable('queue_recipients').set(claimed)
    await update.where('address', '=', to).execute()
    await queue.addUncertainDelivery(to)
    const now = shared.clock.now()
    await storage.transaction((tx: Transaction<DeliveryTables>) =>
      recoverQueued(tx, {
        storage,
        processIds: [processId],
        now,
      }),
    )
  }

  test('waits for a person as long as its delivery is kept', async () => {
    const { storage } = shared.service.app
    const store = openTestStore(storage, processId)
    const [hybrid, recovered] = [`${uniqueName('a')}@wait.test`, `${uniqueName('b')}@wait.test`]
    await submitHybrid(hybrid)
    await expireDuringAttempt(recovered)
    for (const [hours, state] of [
      [1, 'uncertain'],
      [25, undefined],
    ] as const) {
      const now = shared.clock.now() + hours * hourMs
      await store.removeOldUncertain({ before: now - keepMs, limit: 100 })
      for (const address of [hybrid, recovered])
        assert.equal((await find(address))?.state, state, `${address} after ${hours} hours`)
    }
  })
})
