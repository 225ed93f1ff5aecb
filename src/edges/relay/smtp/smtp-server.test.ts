import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createMovableClock } from '../../../../test/movable-clock.ts'
import { openDialogue } from '../../../../test/smtp-dialogue.ts'
import { until } from '../../../../test/until.ts'
import { createReply } from '../../../core/delivery/index.ts'
import { ByteBudget } from '../../../kit/byte-budget.ts'
import { beginData, createTls, drip, openTestServer } from './open-test-server.case.test.ts'

test('EHLO lists the supported extensions', async () => {
  const { port } = await openTestServer()
  const client = await openDialogue(port)
  assert.match(client.greeting, /^220 mail\.test /)
  const offer = await client.say('EHLO client.test')
  const extensions = ['PIPELINING', 'SIZE 100000', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
  for (const extension of [...extensions, 'AUTH PLAIN LOGIN']) {
    assert.match(offer, new RegExp(`^250[- ]${extension}$`, 'm'))
  }
  assert.doesNotMatch(offer, /STARTTLS|XCLIENT|CHUNKING|DSN|DELIVERBY/)
  client.end()
})

test('a pipelined transaction with QUIT is answered in order', async () => {
  const { port, text, received } = await openTestServer()
  const client = await openDialogue(port)
  client.send(
    'EHLO c\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\nSubject: x\r\n\r\n..\r\n.\r\n' +
      'MAIL FROM:<>\r\nRCPT TO:<e@f.test>\r\nDATA\r\ny\r\n.\r\nQUIT\r\n',
  )
  const codes: string[] = []
  for (let count = 0; count < 10; count += 1) codes.push((await client.read()).slice(0, 3))
  assert.deepEqual(codes, ['250', '250', '250', '354', '250', '250', '250', '354', '250', '221'])
  await client.ended
  assert.deepEqual([text(0), text(1)], ['Subject: x\r\n\r\n.\r\n', 'y\r\n'])
  assert.deepEqual(
    received.map(({ sender, recipients }) => [sender, recipients]),
    [
      ['a@b.test', ['c@d.test']],
      ['', ['e@f.test']],
    ],
  )
})

test('commands that were sent in plain text before TLS are discarded', async () => {
  const { port, received } = await openTestServer(createTls())
  const client = await openDialogue(port)
  assert.match(await client.say('EHLO c'), /^250[- ]STARTTLS$/m)
  client.send('STARTTLS\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n')
  assert.match(await client.read(), /^220 /)
  await client.startTls()
  // The injected command gets no reply, and EHLO must be sent again.
  assert.match(await client.say('MAIL FROM:<a@b.test>'), /^503 /)
  const offer = await client.say('EHLO c')
  assert.doesNotMatch(offer, /STARTTLS/)
  assert.match(await client.say('DATA'), /^503 /)
  assert.match(await client.say('STARTTLS'), /^503 /)
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'x' }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
})

test('a port with TLS from the first byte', async () => {
  const { server, received } = await openTestServer({ ...createTls(), securePort: 0 })
  const client = await openDialogue(server.securePort ?? 0, { isSecure: true })
  await client.say('EHLO c')
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'x' }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
  // Plain text is not TLS: the connection is closed.
  const plain = connect(server.securePort ?? 0, '127.0.0.1')
  plain.on('error', () => undefined)
  plain.write('EHLO c\r\n')
  await new Promise((closed) => plain.once('close', closed).resume())
})

test('a log-in by PLAIN or LOGIN, with and without an initial response', async () => {
  const { port } = await openTestServer({ trust: () => undefined })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const plain = base64('\0ada\0right')
  const attempts = [
    [`AUTH PLAIN ${plain}`],
    ['AUTH PLAIN', plain],
    [`AUTH LOGIN ${base64('ada')}`, base64('right')],
    ['auth login', base64('ada'), base64('right')],
  ]
  for (const lines of attempts) {
    const client = await openDialogue(port)
    await client.say('EHLO c')
    assert.match(await client.say('MAIL FROM:<a@b.test>'), /^530 5\.7\.0 /)
    let reply = ''
    for (const line of lines) reply = await client.say(line)
    assert.match(reply, /^235 2\.7\.0 /)
    assert.match(await client.say(`AUTH PLAIN ${plain}`), /^503 /)
    assert.match(await client.hand({ to: ['c@d.test'], raw: 'x' }), /^250 /)
    client.end()
  }
})

test('a wrong, cancelled or malformed log-in fails, and repeated failures close the connection', async () => {
  const { port, received } = await openTestServer({ trust: () => undefined })
  const client = await openDialogue(port)
  assert.match(await client.say('AUTH PLAIN'), /^503 /)
  await client.say('EHLO c')
  assert.match(await client.say('AUTH CRAM-MD5'), /^504 /)
  assert.match(await client.say('AUTH PLAIN !!!'), /^501 /)
  assert.match(await client.say('AUTH LOGIN'), /^334 /)
  assert.match(await client.say('*'), /^501 /)
  assert.match(await client.logIn('ada', 'wrong'), /^535 5\.7\.8 /)
  assert.match(await client.say('MAIL FROM:<a@b.test>'), /^530 /)
  const other = Buffer.from('bob\0ada\0right').toString('base64')
  assert.match(await client.say(`AUTH PLAIN ${other}`), /^535 /)
  assert.match(await client.logIn('ada', 'wrong'), /^535 /)
  await client.ended
  assert.equal(received.length, 0)
})

test('no password is accepted in plain text over a network', async (context) => {
  const outside = await openTestServer({ host: '::', trust: () => undefined }).catch(
    () => undefined,
  )
  const { networkInterfaces } = await import('node:os')
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address
  if (outside === undefined || own === undefined) return context.skip('there is no other address')
  const client = await openDialogue(outside.port, { host: own })
  assert.doesNotMatch(await client.say('EHLO c'), /AUTH/)
  assert.match(await client.logIn('ada', 'right'), /^538 5\.7\.11 /)
  assert.match(await client.say('MAIL FROM:<a@b.test>'), /^530 /)
  client.end()
})

test('a quoted local part is an address; invalid ones and parameters are refused, and inject nothing', async () => {
  const { dial, received } = await openTestServer()
  const client = await dial()
  assert.match(await client.say('RCPT TO:<c@d.test>'), /^503 /)
  assert.match(await client.say('DATA'), /^503 /)
  for (const [line, code] of [
    ['MAIL FROM:<no-at-sign>', '501'],
    ['MAIL FROM:<a b@c.test>', '501'],
    ['MAIL FROM:<"a b@c.test>', '501'],
    ['MAIL FROM:<a@b.test> SIZE=x', '501'],
    ['MAIL FROM:<a@b.test> SIZE=1 SIZE=2', '501'],
    ['MAIL FROM:<a@b.test> BODY=BINARYMIME', '501'],
    ['MAIL FROM:<a@b.test> NONSENSE=1', '555'],
    ['MAIL TO:<a@b.test>', '501'],
    ['MAIL FROM:<a@b.test> SIZE=100001', '552'],
    ['MAIL FROM:<a@b.test\u0000>', '500'],
  ] as const) {
    assert.equal((await client.say(line)).slice(0, 3), code, line)
  }
  assert.match(await client.say('MAIL FROM:<"a <b> SIZE=1"@c.test> SIZE=10 SMTPUTF8'), /^250 /)
  assert.match(await client.say('MAIL FROM:<a@b.test>'), /^503 /)
  for (const [line, code] of [
    ['RCPT TO:<>', '553'],
    ['RCPT TO:<nodomain>', '553'],
    ['RCPT TO:<-oQ/tmp@d.test>', '553'],
    ['RCPT TO:<"a"@e.test"@d.test>', '501'],
    ['RCPT TO:<"a"@e.test,"b"@d.test>', '553'],
    ['RCPT TO:<"a\\"@d.test>', '501'],
    ['RCPT TO:<"a"b@d.test>', '553'],
    ['RCPT TO:<"a\tb"@d.test>', '553'],
    ['RCPT TO:<"c>" <x@d.test>', '501'],
    ['RCPT TO:<c@d.test> SOMETIMES=1', '555'],
    ['RCPT FROM:<c@d.test>', '501'],
  ] as const) {
    assert.equal((await client.say(line)).slice(0, 3), code, line)
  }
  const quoted = ['"odd user"@d.test', '"a@b>\\"\\\\ö: "@d.test', '""@d.test']
  const repeated = ['@relay.test,@other.test:c@d.test', 'C@D.test', '"c"@d.test', '"\\c"@d.test']
  for (const address of ['jörg@münchen.test', ...repeated, ...quoted])
    assert.match(await client.say(`RCPT TO:<${address}>`), /^250 /, address)
  assert.match(await client.say('RCPT TO:<sixth@d.test>'), /^452 4\.5\.3 /)
  assert.match(await client.say('DATA'), /^354 /)
  client.send('x\r\n.\r\n')
  assert.match(await client.read(), /^250 /)
  assert.deepEqual(received[0]?.recipients, ['jörg@münchen.test', 'c@d.test', ...quoted])
  assert.equal(received[0]?.sender, '"a <b> SIZE=1"@c.test')
  client.end()
})

test('a message larger than allowed is read to its end, not kept, and refused', async () => {
  const { dial, received } = await openTestServer()
  const client = await dial()
  await beginData(client)
  for (let part = 0; part < 30; part += 1) client.send(`${'x'.repeat(9_998)}\r\n`)
  client.send('.\r\n')
  assert.match(await client.read(), /^552 5\.3\.4 /)
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'small' }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
})

test('at the limit of message data, more is refused temporarily until memory is released', async () => {
  const { dial } = await openTestServer({ memory: new ByteBudget(200_000) })
  const [one, other] = [await dial(), await dial()]
  for (const client of [one, other]) await beginData(client)
  one.send(`${'x'.repeat(90_000)}\r\n`)
  await setTimeout(100)
  other.send(`${'x'.repeat(90_000)}\r\n.\r\n`)
  assert.match(await other.read(), /^452 4\.3\.1 /)
  one.send('.\r\n')
  assert.match(await one.read(), /^250 /)
  assert.match(await other.hand({ to: ['c@d.test'], raw: 'x'.repeat(90_000) }), /^250 /)
  one.end()
  other.end()
})

test('a client that disconnects during a message leaves no memory in use', async () => {
  const { server, dial, received } = await openTestServer({ memory: new ByteBudget(150_000) })
  for (let count = 0; count < 5; count += 1) {
    const client = await dial()
    await beginData(client)
    client.send(`${'x'.repeat(60_000)}\r\n`)
    await setTimeout(20)
    client.destroy()
  }
  await until(() => server.connections === 0, 'no connection is left')
  const client = await dial()
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'x'.repeat(60_000) }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
})

test('a client that closes its side after the message still gets the reply', async () => {
  const { port } = await openTestServer({
    rules: {
      submit: async () => {
        await setTimeout(100)
        return createReply(250, '2.0.0', 'Taken at last')
      },
    },
  })
  const client = await openDialogue(port)
  client.send('EHLO c\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\nx\r\n.\r\n')
  client.end()
  const replies: string[] = []
  for (let count = 0; count < 5; count += 1) replies.push(await client.read())
  assert.match(replies.at(-1) ?? '', /^250 2\.0\.0 Taken at last/)
  await client.ended
})

test('overlong lines, unknown commands and HTTP requests close the connection', async () => {
  const { dial, port } = await openTestServer()
  const endless = await dial()
  endless.send('X'.repeat(200_000))
  assert.match(await endless.read(), /^500 5\.5\.6 /)
  await endless.ended
  const babbler = await dial()
  for (let count = 0; count < 9; count += 1) assert.match(await babbler.say('FOO'), /^500 /)
  assert.match(await babbler.say('FOO'), /^421 /)
  await babbler.ended
  const page = await openDialogue(port)
  page.send('POST / HTTP/1.1\r\nHost: x\r\n\r\nMAIL FROM:<a@b.test>\r\n')
  assert.match(await page.read(), /^421 /)
  await page.ended
})

test('a slow client is disconnected, even if it sends single bytes', async () => {
  const clock = createMovableClock()
  const { port, received } = await openTestServer({ clock })
  const silent = await openDialogue(port)
  clock.advance(60_000)
  assert.match(await silent.read(), /^421 /)
  await drip(await openDialogue(port), 'X', clock)
  const slow = await openDialogue(port)
  slow.send('EHLO c\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n')
  for (let count = 0; count < 4; count += 1) await slow.read()
  await drip(slow, 'x', clock)
  assert.equal(received.length, 0)
})

test('an unauthenticated client is disconnected in time, whatever it sends', async () => {
  const clock = createMovableClock()
  const { port } = await openTestServer({ clock, trust: () => undefined })
  await drip(await openDialogue(port), 'NOOP\r\n', clock)
})

test('connections are limited, in total and for one address', async () => {
  const { port, server } = await openTestServer({ connectionsPerAddressMax: 2 })
  const [one, other] = [await openDialogue(port), await openDialogue(port)]
  const third = await openDialogue(port)
  assert.match(third.greeting, /^421 4\.3\.2 /)
  await third.ended
  one.end()
  await one.ended
  await until(() => server.connections === 1, 'the connection has ended')
  const next = await openDialogue(port)
  assert.match(next.greeting, /^220 /)
  next.end()
  other.end()
})

test('a client that reads no replies is paused', async () => {
  const { port, server } = await openTestServer()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const questions = 'HELP\r\n'.repeat(20_000)
  let sent = 0
  for (let count = 0; count < 300 && socket.writableLength < 20_000_000; count += 1) {
    socket.write(questions)
    sent += questions.length
    await setTimeout(1)
  }
  // Most commands are still on the client's side: the server has not buffered its replies.
  assert.ok(socket.writableLength > sent / 2, `${socket.writableLength} of ${sent}`)
  socket.destroy()
  await until(() => server.connections === 0, 'no connection is left')
})

test('a stop answers messages in progress, and closes the other connections', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const { server, port, dial } = await openTestServer({
    rules: {
      submit: async () => {
        await finished
        return createReply(250, '2.0.0', 'Taken')
      },
    },
  })
  const [idle, busy, coming] = [await dial(), await dial(), await dial()]
  for (const client of [busy, coming]) await beginData(client)
  busy.send('x\r\n.\r\n')
  coming.send('half a')
  await setTimeout(50)
  const closed = server.close(10_000)
  assert.match(await idle.read(), /^421 /)
  await idle.ended
  await assert.rejects(openDialogue(port))
  coming.send(' message\r\n.\r\n')
  finish()
  for (const client of [busy, coming]) {
    assert.match(await client.read(), /^250 2\.0\.0 Taken/)
    assert.match(await client.read(), /^421 /)
    await client.ended
    client.end()
  }
  idle.end()
  await closed
})

test('a stop does not wait for an unfinished TLS handshake', async () => {
  const { server } = await openTestServer({ ...createTls(), securePort: 0 })
  const socket = connect(server.securePort ?? 0, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined).resume()
  await until(() => server.connections > 0, 'it is connected')
  await server.close(10_000)
  await closed
})

test('a port in use is named with its setting', async () => {
  const { port } = await openTestServer()
  await assert.rejects(openTestServer({ port }), /MAILYARD_SMTP_PORT/)
})
