import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { adminPassword } from '../../../test/administrator.ts'
import { type MailCatcher, startMailCatcher } from '../../../test/mail-catcher.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { runMaintenance } from '../../../test/run-maintenance.ts'
import { startScriptedServer } from '../../../test/scripted-server.ts'
import { openDialogue } from '../../../test/smtp-dialogue.ts'
import { until } from '../../../test/until.ts'
import type { DeliveryTables } from '../../delivery/table.ts'

const minuteMs = 60_000

onMailyard('a message without a Message-ID', { isOwn: true }, (shared) => {
  const { clock } = shared
  let catcher: MailCatcher
  let port = 0
  before(async () => {
    catcher = await startMailCatcher()
    port = (await shared.service.openSmtpServer()).port ?? 0
    await shared.service.ask('POST', '/api/multipleTransports/new', {
      name: 'T',
      mailerDsn: catcher.dsn,
    })
  })
  after(() => catcher.stop())

  const dial = async () => {
    const client = await openDialogue(port)
    await client.say('EHLO client.test')
    await client.logIn('admin', adminPassword)
    return client
  }
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
    const later = { now: () => clock.now() + minutes * minuteMs }
    await runMaintenance(storage, later)
  }

  test('is sent once, however often it is retried, and again minutes after it was acknowledged', async () => {
    const to = ['root@alert.test']
    const client = await dial()
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

  test('is not sent again if the connection broke before the reply, even much later', async (context) => {
    const upstream = await startScriptedServer()
    context.after(() => upstream.stop())
    upstream.delayMs = 500
    await shared.service.ask('POST', '/api/multipleTransports/new', {
      name: 'slow',
      mailerDsn: `smtp://127.0.0.1:${upstream.port}`,
    })
    const slow = raw.replace('Transport: T', 'Transport: slow')
    const to = ['root@gone.test']
    const client = await dial()
    void client.hand({ to, raw: slow }).catch(() => undefined)
    await until(() => upstream.asked.length === 1, 'the server is asked')
    await setTimeout(100)
    client.reset()
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const query = db
      .selectFrom('deliveries')
      .select('outcome')
      .where('recipient', '=', to[0] ?? '')
    const isAccepted = async () => (await query.executeTakeFirst())?.outcome === 'accepted'
    await until(isAccepted, 'it is accepted')
    await tidyAfter(60)
    const again = await dial()
    assert.match(await again.hand({ to, raw: slow }), /^250 .*Already delivered/)
    assert.equal(upstream.taken.length, 1)
    again.destroy()
  })

  test('is not sent again to accepted recipients while others were refused', async () => {
    const to = ['one@partly.test', 'refuse-450@partly.test']
    const client = await dial()
    assert.match(await client.hand({ to, raw }), /^450 /)
    await tidyAfter(60)
    assert.match(await client.hand({ to, raw }), /^450 /)
    assert.equal(deliveredTo('one@partly.test'), 1)
    client.destroy()
  })
})
