import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import { ReceivedEvents } from './received-events.ts'
import type { ReceivedEventsTables } from './table.ts'

const bounce: ProviderEvent = {
  type: 'bounced',
  recipient: 'carla@example.net',
  providerId: 'p1',
  otherIds: [],
  at: null,
  class: 'hard',
  reason: null,
  eventId: null,
}

onMailyard('what one transaction writes of an event', { isOwn: true }, (shared) => {
  const events = () =>
    shared.service.app.storage
      .tables<ReceivedEventsTables>()
      .selectFrom('received_events')
      .selectAll()
      .orderBy('id')
      .execute()

  test('is gone with it, with the suppression and the report to a Mautic of it', async () => {
    const { app } = shared.service
    const received = new ReceivedEvents(app.storage, shared.clock)
    const address = 'rolled-back@example.net'
    const work = app.storage.transaction(async (tx: Transaction<object>) => {
      await received.add(tx, { transportId: 1, provider: 'ses', events: [bounce], receivedAt: 1 })
      const added = await app.suppressions.add([{ address, reason: 'complained' }], tx)
      assert.equal(added.length, 1)
      throw new Error('Rolled back.')
    })
    await assert.rejects(work, /Rolled back/)
    assert.deepEqual(await events(), [])
    assert.equal(
      await app.suppressions.reasonFor(address, { brand: 0, senderDomain: null }),
      undefined,
    )
  })

  test('stays, in parts, and without the events that are ignored', async () => {
    const { app } = shared.service
    const received = new ReceivedEvents(app.storage, shared.clock)
    const opened = { ...bounce, type: 'ignored' } as const
    const many = Array.from({ length: 260 }, () => bounce)
    const common = { transportId: null, provider: 'mail', receivedAt: 7 }
    await received.add(undefined, { ...common, events: [opened] })
    await received.add(undefined, { ...common, events: [opened, ...many] })
    const rows = await events()
    const counts = rows.map((row) => (JSON.parse(row.events) as unknown[]).length)
    assert.deepEqual(counts, [250, 10])
    assert.deepEqual([rows[0]?.due_at, rows[0]?.transport_id], [7, null])
  })
})
