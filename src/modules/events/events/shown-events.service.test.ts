import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport, addUser, uniqueName } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { runMaintenance } from '../../../../test/run-maintenance.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { createCountFolding } from '../../../core/deliveries/index.ts'
import type { DeliveryTables } from '../../../core/delivery/index.ts'
import { createLog } from '../../../kit/log.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import { ReceivedEvents } from './received-events.ts'

const common = { providerId: null, at: null, reason: '550 5.1.1 no', eventId: null }
const dayMs = 86_400_000

onMailyard('what providers report', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const [bounced, delivered] = ['bounced', 'delivered'].map(
    (name) => `${uniqueName(name)}@rcpt.test`,
  ) as [string, string]
  const tables = () => shared.service.app.storage.tables<DeliveryTables>()
  const countEvents = async (): Promise<number[]> => {
    const { body } = await ask('GET', '/api/deliveries/stats?by=event')
    return body.series.map(({ total }: TestBody) => total)
  }
  before(async () => {
    const { service, clock } = shared
    const mailerDsn = 'sendgrid+api://SG.own@default'
    const { id: transportId } = await addTransport(service, { mailerDsn })
    const rows = [bounced, delivered, 'none@rcpt.test'].map((recipient) => ({
      recipient,
      recipient_key: recipient,
      sender: 'news@brand.test',
      transport_id: transportId,
      transport: 'own',
      outcome: 'accepted' as const,
      message_id: `<${recipient}>`,
      started_at: clock.now() - 1_000,
    }))
    await logDeliveries(service, rows)
    const events: ProviderEvent[] = [
      { ...common, type: 'delivered', recipient: delivered, otherIds: [delivered], class: null },
      { ...common, type: 'bounced', recipient: bounced, otherIds: [bounced], class: 'hard' },
    ]
    const received = new ReceivedEvents(service.app.storage, clock)
    const stored = { transportId, provider: 'sendgrid', events, receivedAt: clock.now() }
    await received.add(undefined, stored)
    received.notify()
    await service.app.idle()
  })

  test('filters the list and the export of deliveries, and is a column of it', async () => {
    const recipients = async (query: string) =>
      (await ask('GET', `/api/deliveries?${query}`)).body.deliveries.map(
        ({ recipient, event }: TestBody) => [recipient, event],
      )
    assert.deepEqual(await recipients('event=bounced'), [[bounced, 'bounced']])
    const both = await recipients('event=bounced,delivered')
    assert.deepEqual(both.toSorted(), [
      [bounced, 'bounced'],
      [delivered, 'delivered'],
    ])
    assert.deepEqual(await recipients(`event=delivered&recipient=${bounced}`), [])
    const { body } = await ask('GET', '/api/deliveries?event=bounced&total=1')
    assert.equal(body.total, 1)
    const csv = (await ask('GET', '/api/deliveries.csv?event=bounced')).text.split('\r\n')
    assert.match(csv[0] ?? '', /,event,class,brand$/)
    assert.match(csv[1] ?? '', /,bounced,,$/)
    assert.equal((await ask('GET', '/api/deliveries?event=opened')).status, 400)
  })

  test('is counted in the statistics and the metrics, and changes no count of outcomes', async () => {
    assert.deepEqual(await countEvents(), [1, 0, 1, 0, 0, 0])
    await createCountFolding(shared.service.app.storage, createLog('silent')).run()
    assert.deepEqual(await countEvents(), [1, 0, 1, 0, 0, 0])
    for (const by of ['outcome', 'source', 'transport'])
      assert.equal((await ask('GET', `/api/deliveries/stats?by=${by}`)).body.total, 3)
    const metrics = await ask('GET', '/metrics')
    assert.match(metrics.text, /mailyard_delivery_events_total\{[^}]*type="bounced"\} 1/)
  })

  test('names hosts and addresses only to those who may see them', async () => {
    const { body } = await ask('GET', '/api/deliveries?event=bounced')
    const { as } = await addUser(shared.service, { email: ['view'] })
    const path = `/api/deliveries/${body.deliveries[0].id}`
    const shown = await askFor('GET', path, undefined, { as })
    const [event] = shown.events
    assert.deepEqual([event.type, event.reason, event.provider], ['bounced', null, null])
  })

  test('is removed with its delivery, and with its counts', async () => {
    const { storage } = shared.service.app
    const clock = { ...shared.clock, now: () => shared.clock.now() + dayMs }
    await runMaintenance(storage, clock, dayMs / 2)
    assert.deepEqual(await tables().selectFrom('delivery_events').select('id').execute(), [])
    assert.deepEqual(await countEvents(), [0, 0, 0, 0, 0, 0])
  })
})
