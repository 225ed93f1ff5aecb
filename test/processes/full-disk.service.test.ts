import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { smtpModes } from '../../src/kit/smtp-mode.ts'
import { addTransport, uniqueName } from '../callers.ts'
import { fillDisk } from '../full-disk.ts'
import { onMailyard, type SharedApp } from '../on-each-database.ts'
import { useScriptedServer } from '../scripted-server.ts'
import { createSendFixture } from '../send-fixture.ts'
import { dialAs } from '../smtp-dialogue.ts'
import { until } from '../until.ts'

/** More than fit into what the pages of a new database have free. */
const messagesMax = 500
const later = { code: 451, text: '4.3.0 later' }

/** A client, the server of a transport, and what became of messages. */
function useMail(shared: SharedApp) {
  const server = useScriptedServer()
  let port = 0
  let free: (() => Promise<void>) | undefined
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    await addTransport(shared.service, { name: 'T', mailerDsn: server.dsn })
  })
  const makeSpace = async () => {
    await free?.()
    free = undefined
  }
  afterEach(async () => {
    server.act = () => undefined
    server.gate = undefined
    await makeSpace()
  })
  return {
    server,
    makeSpace,
    fill: async () => {
      free = await fillDisk(shared.service.app.storage)
    },
    submit: async (to: string, kilobytes = 20) => {
      const client = await dialAs(port)
      const head = `From: a@b.test\r\nX-Mailyard-Transport: T\r\nMessage-ID: <${to}>\r\n`
      const text = 'A line of a message.\r\n'.repeat(kilobytes * 50)
      const reply = await client.hand({ to: [to], raw: `${head}\r\n${text}` })
      client.destroy()
      return reply
    },
    timesTaken: (to: string) => server.taken.filter((each) => each === to).length,
    isLogged: async (to: string): Promise<boolean> => {
      return (
        (await shared.askFor('GET', `/api/deliveries?recipient=${to}`)).deliveries[0]?.outcome ===
        'accepted'
      )
    },
    /** Lets an hour pass, so that retries are due, and waits until all are sent. */
    sendLater: () => {
      shared.clock.advance(3_600_000)
      return shared.service.app.idle()
    },
  }
}

for (const smtpMode of smtpModes)
  onMailyard(`on a full disk, in the mode ${smtpMode}`, { config: { smtpMode } }, (shared) => {
    const mail = useMail(shared)

    test('messages are answered 452; nothing is lost, and everything goes on by itself once there is space', async () => {
      mail.server.act = (to) => (to.startsWith('stored') ? later : undefined)
      const all: string[] = []
      if (smtpMode !== 'direct') {
        const stored = `${uniqueName('stored')}@full.test`
        assert.match(await mail.submit(stored), /^250 /)
        all.push(stored)
      }
      await mail.fill()
      for (let reply = ''; !reply.startsWith('452') && all.length < messagesMax; ) {
        all.push(`${uniqueName('new')}@full.test`)
        reply = await mail.submit(all.at(-1) ?? '')
        assert.match(reply, /^(250 |452 4\.3\.1 The disk of Mailyard is full)/)
      }
      const refused = all.at(-1) ?? ''
      assert.equal(mail.timesTaken(refused), 0)
      await mail.makeSpace()
      mail.server.act = () => undefined
      assert.match(await mail.submit(refused), /^250 /)
      await mail.sendLater()
      for (const to of all)
        assert.deepEqual([await mail.isLogged(to), mail.timesTaken(to)], [true, 1], to)
    })

    test('the outcome of a message that is being sent is kept until it can be written', async () => {
      const gate = Promise.withResolvers<void>()
      mail.server.gate = gate.promise
      const to = `${uniqueName('sent')}@full.test`
      const reply = mail.submit(to, 1)
      await until(() => mail.server.asked.includes(to), 'the server has its recipient')
      await mail.fill()
      gate.resolve()
      await until(() => mail.timesTaken(to) === 1, 'it is delivered')
      await mail.makeSpace()
      await reply
      await mail.sendLater()
      assert.equal(await mail.isLogged(to), true)
      assert.match(await mail.submit(to, 1), /^250 /)
      assert.equal(mail.timesTaken(to), 1)
    })
  })

onMailyard('on a full disk', { isOwn: true }, (shared) => {
  const mail = useMail(shared)
  const fixture = createSendFixture(() => shared.service)

  test('a send over HTTP is answered 503 with the time to try again, reads still work, and it is sent once there is space', async () => {
    const emailId = await fixture.email(await fixture.transport(mail.server.dsn))
    const contacts = await fixture.contacts(messagesMax)
    await mail.fill()
    for (const { id, email } of contacts) {
      const send = () => shared.ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})
      const { status, headers, body } = await send()
      if (status === 200) continue
      assert.equal(status, 503, JSON.stringify(body))
      assert.match(String(headers['retry-after']), /^\d+$/)
      assert.match(body.error, /database is unavailable/)
      assert.equal(mail.timesTaken(email), 0)
      assert.equal((await shared.ask('GET', `/api/contacts/${id}`)).status, 200)
      await mail.makeSpace()
      assert.deepEqual((await send()).body, { success: true })
      assert.equal(mail.timesTaken(email), 1)
      return
    }
    assert.fail('The disk never was full.')
  })
})

onMailyard(
  'a queue that is as large as MAILYARD_QUEUE_MEGABYTES allows',
  { config: { smtpMode: 'queue', queueMegabytesMax: 1 } },
  (shared) => {
    const mail = useMail(shared)

    test('answers 452 and loses nothing, and accepts messages again once it has sent some', async () => {
      mail.server.act = () => later
      const [first, second] = [`${uniqueName('a')}@full.test`, `${uniqueName('b')}@full.test`]
      assert.match(await mail.submit(first, 700), /^250 /)
      assert.match(await mail.submit(second, 700), /^452 4\.3\.1 The queue is full/)
      mail.server.act = () => undefined
      await mail.sendLater()
      assert.match(await mail.submit(second, 700), /^250 /)
      await mail.sendLater()
      assert.deepEqual([first, second].map(mail.timesTaken), [1, 1])
    })
  },
)
