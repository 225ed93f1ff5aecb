import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { addTransport } from '../../../test/callers.ts'
import { onEachDatabase, type SharedApp } from '../../../test/on-each-database.ts'
import { submit as submitMail } from '../../../test/relay/submit.ts'
import {
  type Script,
  startScriptedServer,
} from '../../libraries/mailer/testing/smtp-server.case.test.ts'
import { readNotification } from '../mime/notifications/read-notification.case.test.ts'
import type { QueueTables } from './table.ts'

const hourMs = 3_600_000

/** The server of the default transport: it gets the notifications, and refuses some of their recipients. */
const bounceServer = await startScriptedServer({
  script: {
    rcpt: (line) => (line.includes('no-mailbox') ? '550 5.1.1 No such user' : undefined),
    mail: (line) => (line.includes('no-mailbox') ? '550 5.1.7 No' : undefined),
  },
})
const answers: Script = {
  rcpt: (line) => {
    if (line.includes('<gone')) return '550 5.1.1 No such user here'
    return line.includes('<busy') ? '451 4.7.1 Greylisted' : undefined
  },
}
const plainServer = await startScriptedServer({ script: answers })
after(async () => {
  for (const each of [bounceServer, plainServer]) await each.close()
})

interface SubmittedMessage {
  from: string
  /** Separated by commas. */
  to: string
  head?: string
}

function useSender(shared: SharedApp) {
  let port = 0
  let count = 0
  let earlier = 0
  before(async () => {
    earlier = bounceServer.received.length
    port = (await shared.service.openSmtpServer()).port ?? 0
    const mailerDsn = `smtp://127.0.0.1:${plainServer.port}`
    await addTransport(shared.service, { name: 'plain', mailerDsn })
  })
  const submit = async ({ from, to, head = '' }: SubmittedMessage) => {
    count += 1
    const id = `Message-ID: <${count}@dsn.test>\r\n`
    const fields = `From: a@b.test\r\nX-Mailyard-Transport: plain\r\n${id}${head}`
    const mail = { from, to: to.split(','), raw: Buffer.from(`${fields}\r\nHello\r\n`) }
    const login = { port, username: 'admin', password: adminPassword }
    const reply = await submitMail(mail, login)
    return `${reply?.code} ${reply?.text}`
  }
  const tables = () => shared.service.app.storage.tables<QueueTables>()
  /** How often the recipients of an address were tried that are left once nothing is due. */
  const triesOf = async (address: string) => {
    await shared.service.app.idle()
    const query = tables().selectFrom('queue_recipients').select('attempts')
    const rows = await query.where('address', '=', address).execute()
    return rows.map(({ attempts }) => attempts)
  }
  const receivedBy = (sender: string) =>
    bounceServer.received.slice(earlier).filter(({ to }) => to.includes(sender))
  /** Waits until nothing is due: then nothing is left. */
  const empty = async () => {
    await shared.service.app.idle()
    assert.deepEqual(await tables().selectFrom('queue_messages').select('id').execute(), [])
  }
  /** The notifications to a sender, once the queue is empty. */
  const notificationsTo = async (sender: string) => {
    await empty()
    return Promise.all(
      receivedBy(sender).map(async ({ from, data }) => {
        assert.equal(from, '')
        return readNotification(Buffer.from(data, 'latin1'))
      }),
    )
  }
  return { submit, triesOf, empty, receivedBy, notificationsTo }
}

const options = {
  config: { smtpMode: 'queue', mailerDsn: `smtp://127.0.0.1:${bounceServer.port}` },
} as const

onEachDatabase('the sender of a stored message', options, (shared) => {
  const { clock } = shared
  const { submit, triesOf, empty, receivedBy, notificationsTo } = useSender(shared)
  const dropped = () =>
    shared.service.logged.filter((line) => line.includes('notification dropped')).length

  test('is notified of a permanent refusal, through the default transport', async () => {
    const from = 'lab+bounce_1@sender.test'
    await submit({ from, to: 'gone1@rcpt.test', head: 'Subject: Hi\r\n' })
    const [notice, ...others] = await notificationsTo(from)
    assert.deepEqual(others, [])
    assert.equal(notice?.email.subject, 'Not delivered: Hi')
    assert.partialDeepStrictEqual(notice?.ofRecipients[0], {
      'Final-Recipient': 'rfc822; gone1@rcpt.test',
      Action: 'failed',
      Status: '5.1.1',
      'Remote-MTA': 'dns; 127.0.0.1',
      'Diagnostic-Code': 'smtp; 550 5.1.1 No such user here',
    })
    assert.match(notice?.returned?.body.toString() ?? '', /Subject: Hi\r\n/)
    const path = `/api/deliveries?recipient=${encodeURIComponent(from)}`
    const [delivery] = (await shared.ask('GET', path)).body.deliveries
    assert.deepEqual([delivery.outcome, delivery.caller], ['accepted', 'Mailyard'])
  })

  test('gets one notification of all recipients that are refused together', async () => {
    const from = 'many@sender.test'
    const to = Array.from({ length: 60 }, (_, index) => `gone-m${index}@rcpt.test`)
    const recipients = ['fine-m@rcpt.test', ...to].join(',')
    await submit({ from, to: recipients })
    const [notice, ...others] = await notificationsTo(from)
    assert.deepEqual(others, [])
    const reported = notice?.ofRecipients.map((fields) => fields['Final-Recipient'])
    assert.deepEqual(reported?.sort(), to.map((address) => `rfc822; ${address}`).sort())
    for (const address of to) assert.ok(notice?.text.includes(address), address)
    assert.equal(notice?.returned?.type, 'text/rfc822-headers')
  })

  test('gets one notification of recipients that are refused at different times', async () => {
    const from = 'times@sender.test'
    await submit({ from, to: 'gone-t@rcpt.test,busy-t@rcpt.test' })
    assert.deepEqual(await triesOf('busy-t@rcpt.test'), [1])
    assert.deepEqual(await triesOf('gone-t@rcpt.test'), [])
    assert.deepEqual(receivedBy(from), [], 'the other recipient is not done')
    clock.advance(25 * hourMs)
    const notices = await notificationsTo(from)
    assert.deepEqual([notices.length, notices[0]?.ofRecipients.length], [1, 2])
  })

  test('gets the words of the message as they are, tokens included', async () => {
    const from = 'tokens@sender.test'
    await submit({ from, to: 'gone2@rcpt.test', head: 'Subject: {twigtemplate=77}\r\n' })
    const [notice] = await notificationsTo(from)
    assert.match(notice?.returned?.body.toString() ?? '', /Subject: \{twigtemplate=77\}/)
    assert.equal(notice?.email.subject, 'Not delivered: {twigtemplate=77}')
  })

  test('is not notified of a suppressed address', async () => {
    const address = 'gone@suppressed.test'
    const suppression = { address, reason: 'bounced' }
    await shared.askFor('POST', '/api/suppressions/new', suppression)
    await submit({ from: 'quiet@sender.test', to: address })
    assert.deepEqual(await notificationsTo('quiet@sender.test'), [])
  })

  test('is notified when the time has ended, and of no retry before', async () => {
    const from = 'late@sender.test'
    await submit({ from, to: 'busy1@rcpt.test' })
    assert.deepEqual(await triesOf('busy1@rcpt.test'), [1])
    assert.deepEqual(receivedBy(from), [])
    clock.advance(25 * hourMs)
    const [notice] = await notificationsTo(from)
    const [fields] = notice?.ofRecipients ?? []
    assert.deepEqual([fields?.['Action'], fields?.['Status']], ['failed', '4.7.1'])
  })

  test('gets no notification of a success, and the null sender gets none', async () => {
    const count = bounceServer.received.length
    await submit({ from: '', to: 'gone4@rcpt.test' })
    await submit({ from: 'ok@sender.test', to: 'fine@rcpt.test' })
    await empty()
    assert.equal(bounceServer.received.length, count)
    assert.equal(dropped(), 1)
  })

  test('that refuses its notification gets no other: it is dropped and logged', async () => {
    const from = 'no-mailbox@sender.test'
    const count = dropped()
    await submit({ from, to: 'gone5@rcpt.test' })
    await empty()
    assert.equal(dropped(), count + 1)
    assert.deepEqual(receivedBy(from), [])
  })
})

onEachDatabase(
  'in the mode hybrid',
  { ...options, config: { ...options.config, smtpMode: 'hybrid' } },
  (shared) => {
    const { submit, notificationsTo } = useSender(shared)

    test('a recipient that is refused at once and one that expires share a notification', async () => {
      const from = 'shared@sender.test'
      assert.match(await submit({ from, to: 'gone8@rcpt.test,busy8@rcpt.test' }), /^250 /)
      shared.clock.advance(25 * hourMs)
      const [notice, ...others] = await notificationsTo(from)
      assert.deepEqual(others, [])
      assert.equal(notice?.ofRecipients.length, 2)
    })

    test('a refusal that the client hears is not notified', async () => {
      const from = 'hybrid@sender.test'
      assert.match(await submit({ from, to: 'gone7@rcpt.test' }), /^550 5\.1\.1 /)
      assert.deepEqual(await notificationsTo(from), [])
    })
  },
)
