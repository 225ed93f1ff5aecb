import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { startHoldingServer } from '../../../test/holding-server.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import {
  bounceAddress,
  bounceOf,
  failed,
  useReturnPaths,
} from '../../../test/relay/return-paths.ts'
import { until } from '../../../test/until.ts'
import type { ReceivedEventsTables } from '../../modules/events/events/table.ts'
import { composeStatus, readSample } from '../../modules/events/mail/report-samples.case.test.ts'

onMailyard('a return path', { isOwn: true, config: { bounceAddress } }, (shared) => {
  const paths = useReturnPaths(shared)
  const { catcher, ask, dial, send, sendOne, comeBack, suppressionsOf, eventsOf } = paths

  test('one report says nothing of the other recipients of a message', async () => {
    const sent = await send([1, 2, 3].map(() => `${uniqueName('to')}@rcpt.test`))
    assert.equal(new Set(sent.map(({ path }) => path)).size, 3)
    const [first, second, third] = sent.map(({ to }) => to)
    const all = composeStatus(sent.map(({ to }) => `Final-Recipient: rfc822; ${to}\n${failed}`))
    assert.match(await comeBack(sent[0]?.path ?? '', all), /^250 /)
    assert.equal((await suppressionsOf(first ?? '')).length, 1)
    for (const other of [second, third]) assert.deepEqual(await suppressionsOf(other ?? ''), [])
  })

  test('each recipient of a message has a token of a limit, and gets it once', async () => {
    const limited = await addTransport(shared.service, {
      mailerDsn: `${catcher.dsn}?return_path=on`,
    })
    const limit = { name: uniqueName('limit'), perSecond: 2, transports: [limited.id] }
    await ask('/api/limits/new', limit)
    const to = Array.from({ length: 7 }, () => `${uniqueName('to')}@rcpt.test`)
    await send(to, { through: limited.id, isAwaited: false })
    const arrived = () =>
      catcher.mails.flatMap((mail) => mail.to).filter((each) => to.includes(each))
    await until(() => arrived().length >= to.length, 'each recipient has it')
    await shared.service.app.idle()
    assert.deepEqual(arrived().toSorted(), to.toSorted())
  })

  test('a hold stops the recipients of a message that are not being sent', async () => {
    const server = await startHoldingServer()
    after(() => server.close())
    const held = await addTransport(shared.service, { mailerDsn: `${server.dsn}?return_path=on` })
    const to = Array.from({ length: 50 }, () => `${uniqueName('to')}@rcpt.test`)
    const sent = send(to, { through: held.id, isAwaited: false })
    const refused = assert.rejects(sent, /held by Admin/)
    await until(() => server.held.length > 0, 'the first is being sent')
    await ask('/api/queue/hold', { transportId: held.id })
    for (let done = 0; done < 20; ) {
      await until(() => server.held.length > 0 || server.received.length >= 20, 'the next')
      for (const each of server.held) server.release(each)
      done = server.received.length
    }
    await refused
    await shared.service.app.idle()
    assert.equal(server.received.length, 20)
  })

  test('counts in every form that servers use, also with the letter case of the path changed', async () => {
    const daemon = 'MAILER-DAEMON@x.test'
    const text = (words: string) => `From: ${daemon}\r\nSubject: failure notice\r\n\r\n${words}`
    const base64 = (report: string) => {
      const [head = '', body = ''] = report.split('message/delivery-status\r\n\r\n')
      const [status = '', rest = ''] = body.split('--b\r\nContent-Type: text')
      const encoded = Buffer.from(status).toString('base64')
      return `${head}message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n--b\r\nContent-Type: text${rest}`
    }
    const wrapped = (report: string) =>
      `From: gateway@x.test\r\nContent-Type: multipart/mixed; boundary=w\r\n\r\n--w\r\nContent-Type: message/rfc822\r\n\r\n${report}\r\n--w--\r\n`
    const forms: [name: string, raw: (to: string) => string, events: unknown[]][] = [
      ['report', bounceOf, [['bounced', 'hard']]],
      [
        'mixed',
        (to) => bounceOf(to).replace('multipart/report', 'multipart/mixed'),
        [['bounced', 'hard']],
      ],
      ['wrapped', (to) => wrapped(bounceOf(to)), [['bounced', 'hard']]],
      ['base64', (to) => base64(bounceOf(to)), [['bounced', 'hard']]],
      ['of an alias', () => bounceOf('behind@other.test'), [['bounced', 'hard']]],
      [
        'qmail',
        (to) =>
          text(
            `Hi. This is the qmail-send program.\r\n<${to}>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n452 4.2.2 full`,
          ),
        [['bounced', 'hard']],
      ],
      [
        'exim',
        (to) => text(`${to}\r\n  host mx.test [192.0.2.1]\r\n  550 5.1.1 User unknown`),
        [['bounced', 'hard']],
      ],
      ['policy in words', () => text('550 5.7.1 Message rejected as spam'), [['bounced', 'soft']]],
      [
        'contradicting words',
        (to) => bounceOf(to).replace('550 5.1.1 No such user', '552 5.2.2 Mailbox full'),
        [['bounced', 'soft']],
      ],
      ['without a code', () => text('Your message could not be delivered.'), [['bounced', 'soft']]],
      ['delay', () => text('451 4.4.1 No answer from host'), [['deferred', null]]],
      [
        'holiday',
        (to) => text('I am away.').replace(daemon, `${to}\r\nAuto-Submitted: auto-replied`),
        [],
      ],
      [
        'answer',
        (to) => text('I am away.').replace('failure notice', 'Re: Your order').replace(daemon, to),
        [],
      ],
      [
        'holiday that quotes a server',
        (to) => text('I am away. You wrote:\r\n550 5.1.1 User unknown').replace(daemon, to),
        [],
      ],
      ['complaint', () => readSample('yahoo'), [['complained', null]]],
    ]
    for (const [name, raw, events] of forms) {
      const { to, path } = await sendOne()
      assert.match(await comeBack(path.toUpperCase(), raw(to)), /^250 /, name)
      assert.deepEqual(await eventsOf(to), events, name)
    }
  })

  test('is not shown where a server repeats it, and not believed where it refused the message', async () => {
    const paths: string[] = []
    const words = [
      (sender: string) => `<${sender}>: Sender address rejected`,
      (sender: string) => `see https://x.test/?from=${encodeURIComponent(sender.toUpperCase())}`,
      (sender: string) => `${'x'.repeat(440)} ${sender}`,
    ]
    const server = await openMailServer({
      refuseRecipient(recipient, sender) {
        paths.push(sender)
        const repeat = words[Number(recipient.at(0))] ?? assert.fail()
        const code = recipient.includes('late') ? 450 : 550
        return { code, message: `${String(code).at(0)}.1.8 ${repeat(sender)}` }
      },
    })
    after(() => server.close())
    const mailerDsn = `smtp://127.0.0.1:${server.port}?return_path=on`
    const { id: through } = await addTransport(shared.service, { mailerDsn })
    for (const kind of ['late', 'never'])
      for (const at of words.keys()) {
        const to = `${at}-${uniqueName(kind)}@rcpt.test`
        const client = await dial()
        await client.logIn('admin', adminPassword)
        const raw = `X-Mailyard-Transport: ${through}\r\nFrom: shop@brand-a.test\r\nSubject: Hi\r\n\r\nHi`
        const shown = [await client.hand({ from: 'shop@brand-a.test', to: [to], raw })]
        client.end()
        await shared.service.app.idle()
        const { deliveries } = await ask(`/api/deliveries?recipient=${to}`)
        shown.push(JSON.stringify(await ask(`/api/deliveries/${deliveries[0].id}`)))
        shown.push(JSON.stringify(await ask(`/api/queue/messages?recipient=${to}`)))
        const path = paths.at(-1) ?? assert.fail()
        const [signature = assert.fail()] = /[\da-f]{20}(?=@)/.exec(path) ?? []
        for (const text of shown) assert.ok(!text.toLowerCase().includes(signature), text)
        assert.match(shown[1] ?? '', /[45]\.1\.8/)
        assert.match(await comeBack(path, bounceOf(to)), /^550 5\.1\.1 /)
        assert.deepEqual(await suppressionsOf(to), [])
      }
  })

  test('is not shown in the reason of an event', async () => {
    const { to, path } = await sendOne()
    for (const written of [path, path.toUpperCase(), encodeURIComponent(path)]) {
      const raw = `From: mailer-daemon@x.test\r\n\r\n550 5.7.1 No\r\nReturn-Path: <${written}>`
      assert.match(await comeBack(path, raw), /^250 /)
    }
    const cut = `From: mailer-daemon@x.test\r\n\r\n451 4.7.1 ${'x'.repeat(940)}${path}`
    assert.match(await comeBack(path, cut), /^250 /)
    const { deliveries } = await ask(`/api/deliveries?recipient=${to}`)
    const shown = JSON.stringify(await ask(`/api/deliveries/${deliveries[0].id}`)).toLowerCase()
    assert.match(shown, /return-path/)
    const [signature = assert.fail()] = /[\da-f]{20}(?=@)/.exec(path) ?? []
    assert.ok(!shown.includes(signature.slice(0, 4)), shown)
  })

  test('takes the bounce that follows ten answers, and twenty messages at most', async () => {
    const { to, path } = await sendOne()
    const answer = 'Auto-Submitted: auto-replied\r\n\r\nI am away.'
    for (let count = 0; count < 10; count += 1)
      assert.match(await comeBack(path, answer), /^250 2\.0\.0 Read: ignored/)
    assert.match(await comeBack(path, bounceOf(to)), /^250 2\.0\.0 Read: bounced/)
    const { path: other } = await sendOne()
    const replies: string[] = []
    while (replies.at(-1)?.startsWith('550') !== true) replies.push(await comeBack(other, answer))
    assert.ok(replies.length <= 21, String(replies.length))
  })

  test('takes few messages that keep the reader busy, however many come at once', async () => {
    const { path } = await sendOne()
    const bomb = `Content-Type: multipart/report; boundary=a\r\n\r\n${'--a\r\n'.repeat(120_000)}`
    const replies = await Promise.all(Array.from({ length: 24 }, () => comeBack(path, bomb)))
    const taken = replies.filter((reply) => reply.startsWith('250'))
    // Five where each takes its share of two seconds; the quicker they are read, the more, up to twenty.
    assert.ok(taken.length >= 1 && taken.length <= 20, replies.join())
  })

  test('of a guesser ends the connection', async () => {
    const client = await dial()
    await client.say('MAIL FROM:<>')
    const replies: string[] = []
    for (let at = 0; at < 10; at += 1)
      replies.push(
        await client.say(`RCPT TO:<bounces+1-1-${'0'.repeat(19)}${at}@mail.example.com>`),
      )
    assert.match(replies.at(-1) ?? '', /^421 /)
    await client.ended
  })

  test('without it, who knows a Message-ID and a recipient suppresses no one', async () => {
    const { to } = await sendOne()
    const { deliveries } = await ask(`/api/deliveries?recipient=${to}`)
    const { messageId } = deliveries[0]
    assert.ok(
      !JSON.stringify(await ask(`/api/deliveries/${deliveries[0].id}`)).includes('bounces+'),
    )
    const sample = readSample('postfix', { recipient: to, messageId })
    for (const address of [bounceAddress, 'bounces+1@mail.example.com'])
      assert.match(await comeBack(address, sample), /^550 /)
    // With a log-in, too.
    const { username, password } = await addUser(shared.service, { email: ['send'] })
    const client = await dial()
    assert.match(await client.logIn(username, password), /^235 /)
    assert.match(await client.hand({ to: [bounceAddress], raw: sample }), /^550 /)
    client.end()
    await shared.service.app.idle()
    assert.deepEqual(await suppressionsOf(to), [])
  })
  test('of a client with a log-in is read too, and not sent on', async () => {
    const { to, path } = await sendOne()
    const before = catcher.mails.length
    const client = await dial()
    assert.match(await client.logIn('admin', adminPassword), /^235 /)
    assert.match(await client.hand({ to: [path], raw: bounceOf(to) }), /^250 2\.0\.0 Read/)
    client.end()
    await shared.service.app.idle()
    assert.equal(catcher.mails.length, before)
    assert.equal((await suppressionsOf(to)).length, 1)
  })

  test('is answered 451 while its event cannot be stored', async () => {
    const { to, path } = await sendOne()
    const { schema } = shared.service.app.storage.tables<ReceivedEventsTables>()
    await schema.alterTable('received_events').renameTo('kept_events').execute()
    const client = await dial()
    try {
      assert.match(await client.hand({ from: '', to: [path], raw: bounceOf(to) }), /^451 4\.3\.0 /)
    } finally {
      await schema.alterTable('kept_events').renameTo('received_events').execute()
    }
    client.end()
    assert.match(await comeBack(path, bounceOf(to)), /^250 /)
  })

  test('is for messages with a sender: a notification keeps its empty one', async () => {
    const client = await dial()
    assert.match(await client.logIn('admin', adminPassword), /^235 /)
    const to = `${uniqueName('to')}@rcpt.test`
    const raw = `X-Mailyard-Transport: ${paths.transportId}\r\nFrom: a@b.test\r\nSubject: Hi\r\n\r\nHi`
    assert.match(await client.hand({ from: '', to: [to], raw }), /^250 /)
    client.end()
    await shared.service.app.idle()
    assert.equal(catcher.mails.findLast((mail) => mail.to.includes(to))?.from, '')
  })
})
