import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addTransport } from '../../test/callers.ts'
import { readMauticMessages } from '../../test/mautic-messages.ts'
import { addMautic, closeMautics } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { submit } from '../../test/relay/submit.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { until } from '../../test/until.ts'
import { startScriptedServer } from '../mailer/testing/smtp-server.case.test.ts'
import { readNotification } from '../messages/notifications/read-notification.case.test.ts'

/** What a recorded message was, by the tracking hash that its VERP sender has too. */
const messages = [
  { name: 'segment-cli-broadcast-1', hash: '6b00f0212bcf0976235321', emailId: 37, contactId: 2 },
  { name: 'segment-cli-broadcast-3', hash: '6b00f0214f8eb894999160', emailId: 37, contactId: 1 },
  { name: 'contact-api-1', hash: '6b00ef2fd78ac810163095', emailId: 10, contactId: 2 },
  { name: 'campaign-email-1', hash: '6b00f2bbf1586062082885', emailId: 58, contactId: 2 },
]

/** Mautic's monitored mailbox is `lab@sender.test`; nothing else exists. */
const server = await startScriptedServer({
  script: {
    rcpt: (line) =>
      /<lab\+bounce_[0-9a-f]+@sender\.test>/.test(line) ? undefined : '550 5.1.1 No such user',
  },
})
after(() => server.close())

onEachDatabase(
  'a notification to the VERP sender of a Mautic',
  (shared) => {
    let port = 0
    before(async () => {
      port = (await shared.service.openSmtpServer()).port ?? 0
    })
    after(closeMautics)

    test('names the exact message that was refused, and the contact is reported', async () => {
      const { id: transportId } = await addTransport(shared.service, {
        mailerDsn: `smtp://127.0.0.1:${server.port}`,
      })
      const mautic = await addMautic(shared.service, {
        transportId,
        emails: [10, 37, 58],
        contacts: { 1: { email: 'contact1@rcpt.test' }, 2: { email: 'contact2@rcpt.test' } },
      })
      const { stats, doNotContact } = mautic.double.data
      for (const { hash, emailId, contactId } of messages)
        stats.push({
          ...{ ...stats[0], tracking_hash: hash, email_id: String(emailId) },
          ...{ lead_id: String(contactId), email_address: `contact${contactId}@rcpt.test` },
        })
      const { username, password } = new URL(mautic.mailerDsn)
      // A refusal is evidence only from a server that accepts other recipients.
      const known = server.received.length
      for (const { hash } of messages) {
        const mail = { from: 'lab@sender.test', to: [`lab+bounce_${hash}@sender.test`] }
        const raw = Buffer.from(`Message-ID: <${hash}@sender.test>\r\n\r\nHello\r\n`)
        assert.equal((await submit({ ...mail, raw }, { port, username, password }))?.code, 250)
      }
      const earlier = known + messages.length
      await until(() => server.received.length === earlier, 'the server has accepted messages')
      const recorded = new Map(readMauticMessages().map((each) => [each.name, each]))
      for (const { name, hash } of messages) {
        const { message: raw, recipients: to } = recorded.get(name) ?? assert.fail(name)
        const from = `lab+bounce_${hash}@sender.test`
        assert.equal((await submit({ from, to, raw }, { port, username, password }))?.code, 250)
      }
      const received = () => server.received.slice(earlier)
      await until(() => received().length === messages.length, 'all notifications have come')
      for (const { hash, contactId } of messages) {
        const verp = `lab+bounce_${hash}@sender.test`
        const notification = received().find(({ to }) => to.includes(verp))
        assert.deepEqual([notification?.from, notification?.to], ['', [verp]])
        const { email, ofRecipients } = await readNotification(
          Buffer.from(notification?.data ?? '', 'latin1'),
        )
        assert.equal(email.to?.[0]?.address, verp)
        const [{ Action, Status, 'Final-Recipient': recipient } = {}, ...others] = ofRecipients
        const address = `rfc822; contact${contactId}@rcpt.test`
        assert.deepEqual([Action, Status, recipient, others], ['failed', '5.1.1', address, []])
      }
      await until(() => doNotContact.length === 2, 'both contacts are on Do not contact')
      assert.deepEqual(doNotContact.map((row) => [row.lead_id, row.reason]).sort(), [
        ['1', '2'],
        ['2', '2'],
      ])
    })
  },
  {
    intervals: quickIntervals,
    config: {
      smtpMode: 'queue',
      mailerDsn: `smtp://127.0.0.1:${server.port}`,
      // Each message is refused by the server.
      suppressBounces: false,
    },
  },
)
