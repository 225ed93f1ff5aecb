import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { openDialogue } from '../../../test/smtp-dialogue.ts'
import { createSelfSigned } from '../../mailer/testing/certificates.case.test.ts'
import { openTestDoor, timeouts } from './open-test-door.case.test.ts'
import { createReply } from './reply.ts'

test('EHLO offers what there is', async () => {
  const { port } = await openTestDoor()
  const client = await openDialogue(port)
  assert.match(client.greeting, /^220 mail\.test /)
  const offer = await client.say('EHLO client.test')
  for (const extension of [
    'PIPELINING',
    'SIZE 100000',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'DSN',
    'AUTH PLAIN LOGIN',
  ]) {
    assert.match(offer, new RegExp(`^250[- ]${extension}$`, 'm'))
  }
  assert.doesNotMatch(offer, /STARTTLS|XCLIENT|CHUNKING/)
  client.end()
})

test('a whole transaction pipelined, QUIT and all, is answered in order', async () => {
  const { port, text, received } = await openTestDoor()
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

test('a lone LF or CR around a dot ends no message, so that none hides in another', async () => {
  const { dial, received, text } = await openTestDoor()
  for (const [index, hidden] of [
    '\n.\n',
    '\r.\r',
    '\n.\r\n',
    '\r\n.\n',
    '\r\n.\r',
    '\r.\r\n',
  ].entries()) {
    const client = await dial()
    await client.say('MAIL FROM:<a@b.test>')
    await client.say('RCPT TO:<c@d.test>')
    await client.say('DATA')
    client.send(
      `first${hidden}MAIL FROM:<evil@x.test>\r\nRCPT TO:<v@x.test>\r\nDATA\r\nevil\r\n.\r\n`,
    )
    assert.match(await client.read(), /^250 /)
    assert.match(await client.say('NOOP'), /^250 /)
    assert.equal(received.length, index + 1)
    assert.match(text(index), /evil/)
    client.end()
  }
})

test('commands that came in plain text before TLS are forgotten', async () => {
  const { cert, key } = createSelfSigned({ names: ['localhost'] })
  const context = createSecureContext({ cert, key })
  const secureContext = () => context
  const { port, received } = await openTestDoor({ secureContext })
  const client = await openDialogue(port)
  assert.match(await client.say('EHLO c'), /^250[- ]STARTTLS$/m)
  client.send('STARTTLS\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n')
  assert.match(await client.read(), /^220 /)
  await client.startTls()
  // What was injected is answered by nothing, and EHLO has to be said anew.
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
  const { cert, key } = createSelfSigned({ names: ['localhost'] })
  const context = createSecureContext({ cert, key })
  const secureContext = () => context
  const { door, received } = await openTestDoor({ secureContext, securePort: 0 })
  const client = await openDialogue(door.securePort ?? 0, { isSecure: true })
  await client.say('EHLO c')
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'x' }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
  // Plain text there is no TLS: the connection is closed and nothing else happens.
  const plain = connect(door.securePort ?? 0, '127.0.0.1')
  plain.on('error', () => undefined)
  plain.write('EHLO c\r\n')
  await new Promise((closed) => plain.once('close', closed).resume())
})

test('a log-in by PLAIN or LOGIN, with and without an initial response', async () => {
  const { port } = await openTestDoor({ vouchFor: () => undefined })
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

test('a log-in that is wrong, taken back or malformed is none, and guessing ends the connection', async () => {
  const { port, received } = await openTestDoor({ vouchFor: () => undefined })
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

test('no password goes over a wire in plain text', async (context) => {
  const outside = await openTestDoor({ host: '::', vouchFor: () => undefined }).catch(
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

test('addresses and parameters that make no sense are refused, and nothing is injected by them', async () => {
  const { dial, received } = await openTestDoor()
  const client = await dial()
  assert.match(await client.say('RCPT TO:<c@d.test>'), /^503 /)
  assert.match(await client.say('DATA'), /^503 /)
  for (const [line, code] of [
    ['MAIL FROM:<no-at-sign>', '501'],
    ['MAIL FROM:<a b@c.test>', '501'],
    ['MAIL FROM:<a@b.test> SIZE=x', '501'],
    ['MAIL FROM:<a@b.test> SIZE=1 SIZE=2', '501'],
    ['MAIL FROM:<a@b.test> BODY=BINARYMIME', '501'],
    ['MAIL FROM:<a@b.test> NONSENSE=1', '555'],
    ['MAIL FROM:<a@b.test> RET=SOME', '501'],
    ['MAIL TO:<a@b.test>', '501'],
    ['MAIL FROM:<a@b.test> SIZE=100001', '552'],
    ['MAIL FROM:<a@b.test\u0000>', '500'],
  ] as const) {
    assert.equal((await client.say(line)).slice(0, 3), code, line)
  }
  assert.match(await client.say('MAIL FROM:<a@b.test> SIZE=10 BODY=8BITMIME SMTPUTF8'), /^250 /)
  assert.match(await client.say('MAIL FROM:<a@b.test>'), /^503 /)
  for (const [line, code] of [
    ['RCPT TO:<>', '553'],
    ['RCPT TO:<nobody>', '553'],
    ['RCPT TO:<-oQ/tmp@d.test>', '553'],
    ['RCPT TO:<c@d.test> NOTIFY=SOMETIMES', '501'],
    ['RCPT FROM:<c@d.test>', '501'],
  ] as const) {
    assert.equal((await client.say(line)).slice(0, 3), code, line)
  }
  assert.match(await client.say('RCPT TO:<jörg@münchen.test>'), /^250 /)
  assert.match(await client.say('RCPT TO:<@relay.test,@other.test:c@d.test>'), /^250 /)
  assert.match(await client.say('RCPT TO:<C@D.test>'), /^250 /)
  assert.match(await client.say('DATA'), /^354 /)
  client.send('x\r\n.\r\n')
  assert.match(await client.read(), /^250 /)
  assert.deepEqual(received[0]?.recipients, ['jörg@münchen.test', 'c@d.test'])
  client.end()
})

test('what the sender asks to be told about is passed on as it is written', async () => {
  const { dial, received } = await openTestDoor()
  const client = await dial()
  await client.say('MAIL FROM:<a@b.test> RET=hdrs ENVID=QQ+2B314')
  await client.say('RCPT TO:<c@d.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;c+2Bx@d.test')
  await client.say('DATA')
  client.send('x\r\n.\r\n')
  await client.read()
  assert.deepEqual(received[0]?.notification, {
    return: 'HDRS',
    envelopeId: 'QQ+2B314',
    recipients: {
      'c@d.test': { notify: 'SUCCESS,FAILURE', originalRecipient: 'rfc822;c+2Bx@d.test' },
    },
  })
  client.end()
})

test('a message larger than allowed is read to its end, not kept, and refused', async () => {
  const { dial, received } = await openTestDoor()
  const client = await dial()
  await client.say('MAIL FROM:<a@b.test>')
  await client.say('RCPT TO:<c@d.test>')
  await client.say('DATA')
  for (let part = 0; part < 30; part += 1) client.send(`${'x'.repeat(9_998)}\r\n`)
  client.send('.\r\n')
  assert.match(await client.read(), /^552 5\.3\.4 /)
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'small' }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
})

test('when too much mail is in hand, more of it is put off, and taken once there is room', async () => {
  const { dial } = await openTestDoor({ bytesMax: 200_000 })
  const [one, other] = [await dial(), await dial()]
  for (const client of [one, other]) {
    await client.say('MAIL FROM:<a@b.test>')
    await client.say('RCPT TO:<c@d.test>')
    await client.say('DATA')
  }
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

test('a client that goes in the midst of a message leaves nothing behind', async () => {
  const { door, dial, received } = await openTestDoor({ bytesMax: 150_000 })
  for (let count = 0; count < 5; count += 1) {
    const client = await dial()
    await client.say('MAIL FROM:<a@b.test>')
    await client.say('RCPT TO:<c@d.test>')
    await client.say('DATA')
    client.send(`${'x'.repeat(60_000)}\r\n`)
    await setTimeout(20)
    client.destroy()
  }
  while (door.connections > 0) await setTimeout(10)
  const client = await dial()
  assert.match(await client.hand({ to: ['c@d.test'], raw: 'x'.repeat(60_000) }), /^250 /)
  assert.equal(received.length, 1)
  client.end()
})

test('a client that closes its side after the message still hears what became of it', async () => {
  const { port } = await openTestDoor({
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

test('lines without end, commands without sense and web pages are shown out', async () => {
  const { dial, port } = await openTestDoor()
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

test('a slow client is given up, whatever it drips', async () => {
  const short = { loginMs: 300, commandMs: 300, pieceMs: 300, messageMs: 600 }
  const { port, received } = await openTestDoor({ timeouts: short })
  const drip = async (client: Awaited<ReturnType<typeof openDialogue>>, text: string) => {
    let isOpen = true
    void client.ended.then(() => {
      isOpen = false
    })
    while (isOpen) {
      client.send(text)
      await setTimeout(50)
    }
  }
  const silent = await openDialogue(port)
  assert.match(await silent.read(), /^421 /)
  await drip(await openDialogue(port), 'X')
  const slow = await openDialogue(port)
  slow.send('EHLO c\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n')
  for (let count = 0; count < 4; count += 1) await slow.read()
  await drip(slow, 'x')
  assert.equal(received.length, 0)
})

test('who may not hand in mail has not long to log in, whatever he says meanwhile', async () => {
  const short = { ...timeouts, loginMs: 300 }
  const { port } = await openTestDoor({ timeouts: short, vouchFor: () => undefined })
  const client = await openDialogue(port)
  let isOpen = true
  void client.ended.then(() => {
    isOpen = false
  })
  while (isOpen) {
    client.send('NOOP\r\n')
    await setTimeout(20)
  }
})

test('there are only so many connections, in all and for one address', async () => {
  const { port } = await openTestDoor({ connectionsPerAddressMax: 2 })
  const [one, other] = [await openDialogue(port), await openDialogue(port)]
  const third = await openDialogue(port)
  assert.match(third.greeting, /^421 4\.3\.2 /)
  await third.ended
  one.end()
  await one.ended
  await setTimeout(50)
  const next = await openDialogue(port)
  assert.match(next.greeting, /^220 /)
  next.end()
  other.end()
})

test('there are only so many recipients', async () => {
  const { dial, received } = await openTestDoor()
  const client = await dial()
  await client.say('MAIL FROM:<a@b.test>')
  for (let count = 0; count < 5; count += 1)
    assert.match(await client.say(`RCPT TO:<${count}@d.test>`), /^250 /)
  assert.match(await client.say('RCPT TO:<5@d.test>'), /^452 4\.5\.3 /)
  await client.say('DATA')
  client.send('x\r\n.\r\n')
  assert.match(await client.read(), /^250 /)
  assert.equal(received[0]?.recipients.length, 5)
  client.end()
})

test('a client that asks and asks and reads no answer has to wait', async () => {
  const { port, door } = await openTestDoor()
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
  // Most of what was asked is still on the client's side: the server has not heaped up its answers.
  assert.ok(socket.writableLength > sent / 2, `${socket.writableLength} of ${sent}`)
  socket.destroy()
  while (door.connections > 0) await setTimeout(10)
})

test('a stop answers what is under way, and says goodbye to the others', async () => {
  let finish: () => void = () => undefined
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const { door, port, dial } = await openTestDoor({
    rules: {
      submit: async () => {
        await finished
        return createReply(250, '2.0.0', 'Taken')
      },
    },
  })
  const [idle, busy, coming] = [await dial(), await dial(), await dial()]
  for (const client of [busy, coming]) {
    await client.say('MAIL FROM:<a@b.test>')
    await client.say('RCPT TO:<c@d.test>')
    await client.say('DATA')
  }
  busy.send('x\r\n.\r\n')
  coming.send('half a')
  await setTimeout(50)
  const closed = door.close(10_000)
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

test('a stop does not wait for a TLS handshake that never comes', async () => {
  const { cert, key } = createSelfSigned({ names: ['localhost'] })
  const context = createSecureContext({ cert, key })
  const secureContext = () => context
  const { door } = await openTestDoor({ secureContext, securePort: 0 })
  const socket = connect(door.securePort ?? 0, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined).resume()
  while (door.connections === 0) await setTimeout(10)
  await door.close(10_000)
  await closed
})

test('a port that is taken is named with the setting to change', async () => {
  const { port } = await openTestDoor()
  await assert.rejects(openTestDoor({ port }), /MAILYARD_SMTP_PORT/)
})
