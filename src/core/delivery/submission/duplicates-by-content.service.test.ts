import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addTransport } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { runMaintenance } from '../../../../test/run-maintenance.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'
import { dialAs } from '../../../../test/smtp-dialogue.ts'
import { until } from '../../../../test/until.ts'
import type { DeliveryTables } from '../table.ts'

const minuteMs = 60_000

onMailyard('a message without a Message-ID', { isOwn: true }, (shared) => {
  const { clock } = shared
  const upstream = useScriptedServer()
  upstream.delayMs = 500
  const catcher = useMailCatcher()
  let port = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    await addTransport(shared.service, { name: 'T', mailerDsn: catcher.dsn })
  })

  const deliveredTo = (address: string) =>
    catcher.mails.filter(({ to }) => to.includes(address)).length
  const raw = 'From: cron@example.com\r\nX-Mailyard-Transport: T\r\nSubject: disk\r\n\r\nFull.\r\n'
  const acknowledgedAt = async (recipient: string) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const row = await db
      .selectFrom('delivery_keys')
      .innerJoin('deliveries', 'deliveries.id', 'delivery_keys.delivery_id')
      .select('acknowledged_at')
      .where('recipient', '=', recipient)
      .executeTakeFirst()
    return row?.acknowledged_at
  }
  const tidyAfter = async (minutes: number) => {
    const { storage } = shared.service.app
    const later = clockAt(() => clock.now() + minutes * minuteMs)
    await runMaintenance(storage, later)
  }

  test('is sent once, however often it is retried, and again minutes after it was acknowledged', async () => {
    const to = ['root@alert.test']
    const client = await dialAs(port)
    assert.match(await client.hand({ to, raw }), /^250 2\.0\.0 Accepted/)
    await shared.service.app.idle()
    const first = await acknowledgedAt('root@alert.test')
    assert.notEqual(first, null)
    clock.advance(3 * minuteMs)
    assert.match(await client.hand({ to, raw }), /^250 .*Already delivered/)
    await tidyAfter(0)
    assert.match(await client.hand({ to, raw }), /^250 .*Already delivered/)
    assert.equal(await acknowledgedAt('root@alert.test'), first, 'the first time counts')
    await tidyAfter(3)
    assert.match(await client.hand({ to, raw }), /^250 2\.0\.0 Accepted/)
    assert.equal(deliveredTo('root@alert.test'), 2)
    client.destroy()
  })

  test('is not sent again if the connection broke before the reply, even much later', async () => {
    await addTransport(shared.service, { name: 'slow', mailerDsn: upstream.dsn })
    const slow = raw.replace('Transport: T', 'Transport: slow')
    const to = ['root@gone.test']
    const client = await dialAs(port)
    void client.hand({ to, raw: slow }).catch(() => undefined)
    await until(() => upstream.asked.length === 1, 'the server is asked')
    await setTimeout(100)
    client.reset()
    const isAccepted = async () => {
      const { body } = await shared.ask('GET', '/api/deliveries?recipient=root@gone.test')
      return body.deliveries[0].outcome === 'accepted'
    }
    await until(isAccepted, 'it is accepted')
    await tidyAfter(60)
    const again = await dialAs(port)
    assert.match(await again.hand({ to, raw: slow }), /^250 .*Already delivered/)
    assert.equal(upstream.taken.length, 1)
    again.destroy()
  })

  test('is not sent again to accepted recipients while others were refused', async () => {
    const to = ['one@partly.test', 'refuse-450@partly.test']
    const client = await dialAs(port)
    assert.match(await client.hand({ to, raw }), /^450 /)
    await tidyAfter(60)
    assert.match(await client.hand({ to, raw }), /^450 /)
    assert.equal(deliveredTo('one@partly.test'), 1)
    client.destroy()
  })
})
