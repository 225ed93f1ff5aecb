import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { uniqueName } from '../../../test/callers.ts'
import { type MailCatcher, startMailCatcher } from '../../../test/mail-catcher.ts'
import { addMautic, closeMautics } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { submit } from '../../../test/relay/submit.ts'
import { publicUrl, sendGridEvent, WebhookFixture } from '../../../test/transport-webhooks.ts'
import { until } from '../../../test/until.ts'

onEachDatabase(
  'a message of a Mautic',
  (shared) => {
    let catcher: MailCatcher
    let port = 0
    before(async () => {
      catcher = await startMailCatcher()
      port = (await shared.service.openSmtpServer()).port ?? 0
    })
    after(async () => {
      await closeMautics()
      await catcher.stop()
    })

    test('that bounces after its provider accepted it puts its contact on Do not contact, with the email and the words', async () => {
      const webhooks = new WebhookFixture(() => shared.service)
      // The first member accepts what SendGrid then tells of.
      const signed = await webhooks.createSigned(
        `failover(${catcher.dsn} sendgrid+api://KEY@default)`,
      )
      const address = `carla.${uniqueName('c')}@rcpt.test`
      const mautic = await addMautic(shared.service, {
        transportId: signed.id,
        emails: [17],
        contacts: { 8: { email: 'other@rcpt.test' }, 9: { email: address } },
      })
      const messageId = `${uniqueName('m')}@brand.test`
      const text = `X-EMAIL-ID: 17\r\nMessage-ID: <${messageId}>\r\nFrom: news@brand.test\r\nSubject: News\r\n\r\nHello\r\n`
      const { username, password } = new URL(mautic.mailerDsn)
      const mail = { from: 'news@brand.test', to: [address], raw: Buffer.from(text) }
      assert.equal((await submit(mail, { port, username, password }))?.code, 250)
      const bounce = sendGridEvent('bounce', {
        email: address,
        type: 'bounce',
        'smtp-id': `<${messageId}>`,
        sg_message_id: 'unknown.filter-1',
        reason: '550 5.1.1 no such user',
        status: '5.1.1',
        timestamp: Math.floor(shared.clock.now() / 1_000),
      })
      const answer = await webhooks.postSigned(signed, [bounce], shared.clock.now())
      assert.equal(answer.status, 200, answer.text)
      const list = mautic.double.data.doNotContact
      await until(() => list.length > 0, 'the contact is on Do not contact')
      const entries = list.map((row) => [row.lead_id, row.reason, row.channel_id, row.comments])
      assert.deepEqual(entries, [['9', '2', '17', '550 5.1.1 no such user']])
      const { body } = await shared.service.ask('GET', `/api/suppressions?address=${address}`)
      assert.equal(body.suppressions[0]?.reason, 'bounced')
    })
  },
  { config: { publicUrl } },
)
