import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { addMautic } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import type { DeliveryRow } from '../table.ts'

const minuteMs = 60_000

onEachDatabase('a refused message of a Mautic', { isOwn: true }, (shared) => {
  const { ask } = shared
  const idle = () => shared.service.app.idle()
  const addressOf = (name: string) => `${name}.${uniqueName('c')}@rcpt.test`

  test('gives its contact a tag in its Mautic, if the Mautic is to be tagged', async () => {
    const [refused, withheld, cancelled] = ['ann', 'bob', 'carl'].map(addressOf)
    const addresses = { 9: refused, 10: withheld, 11: cancelled }
    const contacts = Object.entries(addresses).map(([id, email = '']) => [id, { email }])
    const mautic = await addMautic(shared.service, { contacts: Object.fromEntries(contacts) })
    const { data } = mautic.double
    data.contacts.get(9).tags = [{ id: 1, tag: 'vip' }]
    const changed = await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { isTagging: true })
    assert.equal(changed.body.mautic.isTagging, true)
    await idle()
    shared.clock.advance(minuteMs)
    const row = (recipient = '', more: Partial<DeliveryRow> = {}) => {
      return { recipient, recipient_key: recipient, ...more }
    }
    const about = { mautic_id: mautic.id, started_at: shared.clock.now() }
    const rows = [
      row(refused, { outcome: 'refused', contact_id: 9, reply: '554 5.7.1 not welcome' }),
      row(withheld, { outcome: 'suppressed', email_id: 17 }),
      row(cancelled, { outcome: 'cancelled', contact_id: 11 }),
    ]
    await logDeliveries(
      shared.service,
      rows.map((each) => ({ ...about, ...each })),
    )
    shared.clock.advance(20 * minuteMs)
    const tagsOf = (id: number) => data.contacts.get(id).tags.map(({ tag }: TestBody) => tag)
    await idle()
    assert.deepEqual(
      [tagsOf(9), tagsOf(10), tagsOf(11)],
      [['vip', 'mailyard-refused'], ['mailyard-refused'], []],
    )
    assert.deepEqual(data.doNotContact, [])
    const { body } = await ask('GET', `/api/mautics/${mautic.id}/reports?state=done`)
    assert.deepEqual(
      body.reports.map(({ action, reason }: TestBody) => [action, reason]),
      [
        ['tag', 'refused'],
        ['tag', 'refused'],
      ],
    )
  })
})
