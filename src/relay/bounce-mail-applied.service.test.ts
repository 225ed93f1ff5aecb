import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { type MailCatcher, startMailCatcher } from '../../test/mail-catcher.ts'
import { onMailyard } from '../../test/on-each-database.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { openDialogue } from '../../test/smtp-dialogue.ts'
import { until } from '../../test/until.ts'
import type { ReceivedEventsTables } from '../feedback/events/table.ts'
import { readSample } from '../feedback/mail/report-samples.case.test.ts'

const address = 'bounces@mail.example.com'

onMailyard(
  'a bounce by mail',
  { intervals: quickIntervals, config: { bounceAddress: address } },
  (shared) => {
    let port = 0
    let catcher: MailCatcher
    before(async () => {
      catcher = await startMailCatcher()
      const transport = { name: 'T', mailerDsn: catcher.dsn }
      await shared.service.ask('POST', '/api/multipleTransports/new', transport)
      port = (await shared.service.openSmtpServer()).port ?? 0
    })
    after(() => catcher.stop())

    const submit = async (recipient: string, messageId: string) => {
      const client = await openDialogue(port)
      await client.say('EHLO client.test')
      await client.logIn('admin', adminPassword)
      const head = `X-Mailyard-Transport: T\r\nMessage-ID: <${messageId}>\r\nSubject: Hello`
      const sent = { from: address, to: [recipient], raw: `${head}\r\n\r\nHello\r\n` }
      assert.match(await client.hand(sent), /^250 /)
      client.end()
    }
    const report = async (recipient: string, messageId: string) => {
      const client = await openDialogue(port)
      await client.say('EHLO mx.example.net')
      // Sent now: an event is one of a message that was sent before it.
      const raw = readSample('postfix', { recipient, messageId }).replace(
        /^Date: Thu, 26 Nov 2026 10:47:08.*$/m,
        `Date: ${new Date().toUTCString()}`,
      )
      assert.match(await client.hand({ from: '', to: [address], raw }), /^250 /)
      client.end()
    }
    const eventOf = async (recipient: string) => {
      const { body } = await shared.service.ask('GET', `/api/deliveries?search=${recipient}`)
      return body.deliveries[0]?.event
    }
    const isSuppressed = async (recipient: string) => {
      const { body } = await shared.service.ask('GET', `/api/suppressions?search=${recipient}`)
      return body.suppressions.length === 1
    }

    test('is an event of its delivery, and suppresses the address', async () => {
      await submit('real@example.net', 'real@shop.example')
      await report('real@example.net', 'real@shop.example')
      await until(() => isSuppressed('real@example.net'), 'the address is suppressed')
      assert.equal(await eventOf('real@example.net'), 'bounced')
    })

    test('that names another message or another recipient changes nothing', async () => {
      await submit('kept@example.net', 'kept@shop.example')
      await report('kept@example.net', 'guessed@shop.example')
      await report('other@example.net', 'kept@shop.example')
      const tables = shared.service.app.storage.tables<ReceivedEventsTables>()
      await until(async () => {
        const rows = await tables.selectFrom('received_events').selectAll().execute()
        return rows.length === 2 && rows.every(({ attempts }) => Number(attempts) > 0)
      }, 'both reports were looked for')
      assert.equal(await eventOf('kept@example.net'), null)
      for (const recipient of ['kept@example.net', 'other@example.net'])
        assert.equal(await isSuppressed(recipient), false)
    })
  },
)
