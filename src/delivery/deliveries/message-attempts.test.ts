import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryTables } from '../table.ts'

onEachDatabase('a delivery', (shared) => {
  test('is shown with its attempts and recipients, and none of a Mautic that uses its Message-ID', async () => {
    const recipient = 'ann@rcpt.test'
    const message = { message_id: '<same@brand.test>', started_at: shared.clock.now() }
    const to = (recipient: string) => ({ recipient, recipient_key: recipient })
    await logDeliveries(shared.service, [
      { ...message, ...to(recipient), mautic_id: 7, outcome: 'deferred' },
      { ...message, ...to('ben@rcpt.test'), mautic_id: 7, outcome: 'accepted' },
      { ...message, ...to(recipient), mautic_id: 8, outcome: 'accepted' },
      { ...message, ...to('eve@rcpt.test'), mautic_id: 8, outcome: 'accepted' },
    ])
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const { id } = await db
      .selectFrom('deliveries')
      .select('id')
      .where('mautic_id', '=', 7)
      .where('recipient', '=', recipient)
      .executeTakeFirstOrThrow()
    const { body } = await shared.service.ask('GET', `/api/deliveries/${id}`)
    const shown = (rows: { mautic: { id: number }; recipient: string }[]) =>
      rows.map(({ mautic, recipient: address }) => [mautic.id, address])
    assert.deepEqual(shown(body.attempts), [[7, recipient]])
    assert.deepEqual(shown(body.recipients), [[7, 'ben@rcpt.test']])
  })
})
