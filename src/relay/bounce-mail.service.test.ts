import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { useMailCatcher } from '../../test/mail-catcher.ts'
import { onMailyard } from '../../test/on-each-database.ts'
import { type Dialogue, openDialogue } from '../../test/smtp-dialogue.ts'
import { openTestApp } from '../../test/test-app.ts'
import type { ReceivedEventsTables } from '../feedback/events/table.ts'
import { readSample, reportNames } from '../feedback/mail/report-samples.case.test.ts'
import type { ProviderEvent } from '../mailer/index.ts'

const address = 'bounces@mail.example.com'
const holiday = 'From: a@example.net\r\nSubject: Out of office\r\n\r\nI am on holiday.\r\n'
const from = ''

async function dial(port: number): Promise<Dialogue> {
  const client = await openDialogue(port)
  await client.say('EHLO mx.example.net')
  return client
}

onMailyard(
  'mail to the bounce address',
  { config: { bounceAddress: address, smtpMessageSizeMegabytesMax: 4 } },
  (shared) => {
    let port = 0
    const catcher = useMailCatcher()
    before(async () => {
      const { service } = shared
      const transport = { name: 'T', mailerDsn: catcher.dsn }
      await service.ask('POST', '/api/multipleTransports/new', transport)
      port = (await service.openSmtpServer()).port ?? 0
    })
    /** Those that are stored and found no message yet. */
    const events = async () => {
      const tables = shared.service.app.storage.tables<ReceivedEventsTables>()
      const rows = await tables.selectFrom('received_events').select('events').execute()
      return rows.flatMap((row) => JSON.parse(row.events) as ProviderEvent[])
    }
    const logged = (text: string) =>
      shared.service.logged.filter((line) => line.includes(text)).length
    const hand = async (raw: string, to = [address]) => {
      const client = await dial(port)
      const reply = await client.hand({ from, to, raw })
      client.end()
      return reply
    }

    test('is taken from a server without a log-in, and stored before it is answered', async () => {
      for (const name of reportNames) {
        assert.match(await hand(readSample(name)), /^250 2\.0\.0 Report read/)
        const [event] = await events()
        assert.equal(event?.recipient, 'jane@example.net')
        assert.deepEqual(event?.otherIds, ['<order-1@shop.example>'])
      }
    })

    test('is taken with a tag, and in any letter case', async () => {
      for (const to of ['bounces+17@mail.example.com', 'Bounces+x+y@MAIL.example.com'])
        assert.match(await hand(readSample('postfix'), [to]), /^250 /)
    })

    test('opens no relay: without a log-in, no other address is a recipient', async () => {
      const client = await dial(port)
      assert.match(await client.say('MAIL FROM:<>'), /^250 /)
      const others = [
        'jane@example.net',
        'bounces@example.com',
        'bounces@mail.example.com.evil.test',
        'xbounces@mail.example.com',
        'bounces-1@mail.example.com',
        'bounces@x.mail.example.com',
        '@mail.example.com:jane@example.net',
        'bounces%40mail.example.com@example.net',
        'bounces+jane@example.net@mail.example.com',
      ]
      for (const to of others)
        assert.match(await client.say(`RCPT TO:<${to}>`), /^5(30|53|01) /, to)
      assert.match(await client.say('DATA'), /^503 /)
      assert.match(await client.say(`RCPT TO:<${address}>`), /^250 /)
      assert.match(await client.say('RCPT TO:<jane@example.net>'), /^530 5\.7\.0 /)
      client.end()
      assert.deepEqual(catcher.mails, [])
    })

    test('that is no report is accepted and dropped, and no one is notified', async () => {
      const before = (await events()).length
      const lines = logged('mail to the bounce address dropped')
      assert.match(await hand(holiday), /^250 2\.0\.0 No report: it was dropped/)
      const client = await dial(port)
      const sent = { from: 'a@example.net', to: [address], raw: holiday }
      assert.match(await client.hand(sent), /^250 /)
      client.end()
      assert.equal(logged('mail to the bounce address dropped'), lines + 2)
      assert.equal((await events()).length, before)
      const { messages } = (await shared.service.ask('GET', '/api/queue/messages')).body
      assert.deepEqual(messages, [])
      assert.deepEqual(catcher.mails, [])
    })

    test('of a client with a log-in is read too, and not sent on', async () => {
      const client = await dial(port)
      assert.match(await client.logIn('admin', adminPassword), /^235 /)
      const before = (await events()).length
      const raw = `X-Mailyard-Transport: T\r\n${readSample('postfix')}`
      assert.match(await client.hand({ to: [address], raw }), /^250 2\.0\.0 Report read/)
      assert.equal((await events()).length, before + 1)
      assert.deepEqual(catcher.mails, [])
      const reply = await client.hand({ to: ['jane@example.net', address], raw })
      assert.match(reply, /^250 /)
      assert.deepEqual(
        catcher.mails.map(({ to }) => to),
        [['jane@example.net']],
      )
      assert.equal((await events()).length, before + 2)
      client.end()
    })

    test('is answered 451 while its events cannot be stored', async () => {
      const { schema } = shared.service.app.storage.tables()
      await schema.alterTable('received_events').renameTo('kept_events').execute()
      try {
        assert.match(await hand(readSample('postfix')), /^451 4\.3\.0 /)
      } finally {
        await schema.alterTable('kept_events').renameTo('received_events').execute()
      }
      assert.match(await hand(readSample('postfix')), /^250 /)
    })
  },
)

test('without a bounce address, no mail is taken without a log-in', async () => {
  const service = await openTestApp()
  try {
    const client = await dial((await service.openSmtpServer()).port ?? 0)
    assert.match(await client.say('MAIL FROM:<>'), /^530 5\.7\.0 Log in first/)
    client.end()
  } finally {
    await service.close()
  }
})
