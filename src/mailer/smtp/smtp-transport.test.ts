import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transport } from '../delivery/transport.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import type { Message } from '../message/message.ts'
import { rejected, shortMessage } from '../testing/sample-message.case.test.ts'
import { authority, goodCertificate } from '../testing/smtp-faults.case.test.ts'
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'

interface Fixture {
  server: ScriptedServer
  transport: Transport
}

/** A scripted server and a transport to it, both closed at the end. */
async function withServer(
  options: ScriptedServerOptions & { query?: string; mailer?: MailerOptions },
  run: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const server = await startScriptedServer(options)
  const mailer = createMailer({
    certificates: [authority.cert],
    ...options.mailer,
  })
  const transport = mailer.open(`smtp://localhost:${server.port}${options.query ?? ''}`)
  try {
    await run({ server, transport })
  } finally {
    await transport.close()
    await server.close()
  }
}

/** Waits for something that must come to be. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

function to(...recipients: string[]): Message {
  return { ...shortMessage, envelope: { from: 'sender@example.com', to: recipients } }
}

for (const hasPipelining of [true, false]) {
  const how = hasPipelining ? 'pipelined' : 'step by step'

  test(`a message is received unchanged, with its envelope, ${how}`, () =>
    withServer({ hasPipelining }, async ({ server, transport }) => {
      const raw = Buffer.from('Subject: dots\r\n\r\n.\r\n..two\r\nlast')
      const result = await transport.send({
        envelope: { from: '', to: ['a@example.net', 'b@example.net'] },
        raw,
      })
      assert.equal(result.outcome, 'accepted')
      assert.equal(result.messageId, 'TEST1')
      assert.equal(result.member, `smtp://localhost:${server.port}`)
      assert.deepEqual(server.received, [
        {
          from: '',
          to: ['a@example.net', 'b@example.net'],
          data: 'Subject: dots\r\n\r\n..\r\n...two\r\nlast\r\n',
          isAccepted: true,
        },
      ])
    }))

  test(`each recipient has its own result when some are refused, ${how}`, () =>
    withServer(
      {
        hasPipelining,
        script: {
          rcpt: (line) => {
            if (line.includes('gone')) return '550 5.1.1 No such user'
            return line.includes('full') ? '452 4.2.2 Mailbox full' : '250 2.1.5 Ok'
          },
        },
      },
      async ({ server, transport }) => {
        const result = await transport.send(to('gone@x.net', 'here@x.net', 'full@x.net'))
        assert.equal(result.outcome, 'accepted')
        assert.deepEqual(
          result.recipients.map(({ address, outcome, isPermanent, reply }) => [
            address,
            outcome,
            isPermanent,
            reply?.code,
          ]),
          [
            ['gone@x.net', 'refused', true, 550],
            ['here@x.net', 'accepted', false, 250],
            ['full@x.net', 'refused', false, 452],
          ],
        )
        assert.equal(result.fault?.code, 'recipient_unknown')
        assert.deepEqual(server.received[0]?.to, ['here@x.net'])
      },
    ))

  test(`when all recipients are refused, the fault names each reason, ${how}`, () =>
    withServer(
      { hasPipelining, script: { rcpt: '550 5.1.1 no' } },
      async ({ server, transport }) => {
        const { fault } = await transport.send(to('a@x.net', 'b@x.net'))
        const why = (address: string) =>
          `The recipient ${address} does not exist at localhost:${server.port} (the connection itself works): 550 5.1.1 no.`
        assert.equal(
          fault?.message,
          `All 2 recipients were refused. ${why('a@x.net')} ${why('b@x.net')}`,
        )
      },
    ))

  test(`after a refused message the next one uses the same connection, ${how}`, () =>
    withServer(
      {
        hasPipelining,
        script: {
          mail: (line) => (line.includes('bad') ? '550 5.7.1 No' : '250 Ok'),
          rcpt: (line) => (line.includes('gone') ? '550 5.1.1 No such user' : undefined),
        },
      },
      async ({ server, transport }) => {
        assert.equal((await transport.send(to('gone@x.net'))).fault?.code, 'recipient_unknown')
        const bad = { ...shortMessage, envelope: { from: 'bad@example.com', to: ['a@x.net'] } }
        assert.equal((await transport.send(bad)).fault?.code, 'sender_refused')
        const results = [await transport.send(to('a@x.net')), await transport.send(to('b@x.net'))]
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['accepted', 'accepted'],
        )
        assert.equal(server.sessions(), 1)
        assert.ok(server.commands.includes('RSET'))
      },
    ))
}

test('many messages share the connections, take one round trip each, and are all received once', () =>
  withServer({ mailer: { connectionsMax: 3 }, query: '?restart_threshold=0' }, async (fixture) => {
    const { server, transport } = fixture
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, index) => transport.send(to(`u${index}@x.net`))),
    )
    assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
    assert.equal(new Set(server.received.map((one) => one.to[0])).size, 500)
    assert.equal(server.received.length, 500)
    assert.ok(server.sessions() <= 3)
  }))

test('a message whose connection ends is uncertain, and the next ones are sent over another connection', () =>
  withServer(
    {
      mailer: { connectionsMax: 1 },
      script: { dot: (_line, before) => (before === 2 ? { end: 'close' } : '250 Ok') },
    },
    async ({ server, transport }) => {
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => transport.send(to(`u${index}@x.net`))),
      )
      const outcomes = results.map(({ outcome }) => outcome)
      assert.equal(outcomes.filter((outcome) => outcome === 'uncertain').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 9)
      const arrived = server.received.map((one) => one.to[0])
      assert.equal(new Set(arrived).size, arrived.length, 'none arrived twice')
    },
  ))

for (const [how, dot, expected] of [
  ['is lost', { end: 'close' }, { outcome: 'uncertain', code: undefined, isPermanent: false }],
  ['is refused', '452 4.3.1 Full', { outcome: 'refused', code: 452, isPermanent: false }],
] as const)
  test(`a refused recipient stays refused when the message ${how}`, () =>
    withServer(
      { script: { rcpt: (line) => (line.includes('no@') ? '550 5.1.1 No' : undefined), dot } },
      async ({ transport }) => {
        const { outcome, recipients } = await transport.send(to('no@x.net', 'yes@x.net'))
        const results = recipients.map((each) => ({
          outcome: each.outcome,
          code: each.reply?.code,
          isPermanent: each.isPermanent,
        }))
        assert.equal(outcome, expected.outcome)
        assert.deepEqual(results, [{ outcome: 'refused', code: 550, isPermanent: true }, expected])
      },
    ))

test('no message is lost when the server closes an idle connection', () =>
  withServer(
    { script: { dot: { say: '250 Ok' }, rset: '250 Ok' } },
    async ({ server, transport }) => {
      assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
      await server.dropConnections()
      assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
      assert.equal(server.sessions(), 2)
    },
  ))

test('no message is lost when the server ends an idle session at the next MAIL', () =>
  withServer(
    {
      script: {
        mail: (_line, before) =>
          before === 1 ? { say: '421 4.4.2 Idle too long', end: 'close' } : '250 Ok',
      },
    },
    async ({ server, transport }) => {
      assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
      assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
      assert.equal(server.received.length, 2)
    },
  ))

test('restart_threshold closes a connection after that many messages', () =>
  withServer({ query: '?restart_threshold=2' }, async ({ server, transport }) => {
    for (let index = 0; index < 5; index += 1) await transport.send(shortMessage)
    assert.equal(server.sessions(), 3)
    assert.equal(server.commands.filter((line) => line === 'QUIT').length, 2)
  }))

test('restart_threshold_sleep delays the next connection', () =>
  withServer({ query: '?restart_threshold=1&restart_threshold_sleep=1' }, async (fixture) => {
    await fixture.transport.send(shortMessage)
    const startedAt = performance.now()
    await fixture.transport.send(shortMessage)
    assert.ok(performance.now() - startedAt > 900)
  }))

test('ping_threshold checks an idle connection with NOOP', () =>
  withServer({ query: '?ping_threshold=0' }, async ({ server, transport }) => {
    await transport.send(shortMessage)
    await transport.send(shortMessage)
    assert.ok(server.commands.includes('NOOP'))
    assert.equal(server.sessions(), 1)
  }))

test('a connection that fails its ping is replaced', () =>
  withServer({ query: '?ping_threshold=0', script: { noop: '421 4.4.2 Bye' } }, async (fixture) => {
    await fixture.transport.send(shortMessage)
    assert.equal((await fixture.transport.send(shortMessage)).outcome, 'accepted')
    assert.equal(fixture.server.sessions(), 2)
  }))

test('max_per_second limits all connections together', () =>
  withServer({ query: '?max_per_second=20', mailer: { connectionsMax: 5 } }, async (fixture) => {
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 21 }, () => fixture.transport.send(shortMessage)))
    assert.ok(performance.now() - startedAt > 950, 'twenty gaps of 50 ms')
  }))

test('a server that allows fewer connections is used with fewer', () =>
  withServer(
    {
      mailer: { connectionsMax: 4 },
      script: {
        greeting: (_line, before) => (before === 0 ? '220 test' : '421 4.7.0 Too many connections'),
      },
    },
    async ({ server, transport }) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, () => transport.send(shortMessage)),
      )
      assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
      assert.equal(server.received.length, 20)
    },
  ))

test('STARTTLS is used when it is offered', () =>
  withServer({ tls: 'starttls', certificate: goodCertificate }, async ({ server, transport }) => {
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    assert.equal(server.commands.filter((line) => line.startsWith('EHLO')).length, 2)
  }))

test('auto_tls=0 disables STARTTLS', () =>
  withServer({ tls: 'starttls', query: '?auto_tls=0' }, async ({ server, transport }) => {
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    assert.ok(!server.commands.includes('STARTTLS'))
  }))

test('EHLO sends local_domain, an address in brackets, or the default of the mailer', async () => {
  const names: [string, MailerOptions, string][] = [
    ['?local_domain=mta.example.org', {}, 'EHLO mta.example.org'],
    ['?local_domain=2001:db8::1', {}, 'EHLO [IPv6:2001:db8::1]'],
    ['', {}, 'EHLO [127.0.0.1]'],
    ['', { localDomain: 'mta.example.org' }, 'EHLO mta.example.org'],
  ]
  for (const [query, mailer, line] of names)
    await withServer({ query, mailer }, async ({ server, transport }) => {
      await transport.send(shortMessage)
      assert.equal(server.commands[0], line)
    })
})

test('SIZE and 8BITMIME are used only when the server offers them', async () => {
  const message: Message = {
    envelope: { from: 'sender@example.com', to: ['jane@example.net'] },
    raw: Buffer.from('Subject: ä\r\n\r\nä\r\n'),
  }
  await withServer({ extensions: ['SIZE 10000', '8BITMIME'] }, async ({ server, transport }) => {
    await transport.send(message)
    assert.ok(
      server.commands.includes('MAIL FROM:<sender@example.com> SIZE=19 BODY=8BITMIME'),
      server.commands.join('\n'),
    )
  })
  await withServer({}, async ({ server, transport }) => {
    await transport.send(message)
    assert.ok(server.commands.includes('MAIL FROM:<sender@example.com>'))
    assert.ok(server.commands.includes('RCPT TO:<jane@example.net>'))
  })
})

test('an international address is sent with SMTPUTF8, its domain in ASCII', () =>
  withServer({ extensions: ['SMTPUTF8'] }, async ({ server, transport }) => {
    assert.equal((await transport.send(to('jürgen@bücher.example'))).outcome, 'accepted')
    assert.ok(server.commands.includes('MAIL FROM:<sender@example.com> SMTPUTF8'))
    assert.equal((await transport.send(to('jürgen@[IPv6:2001:db8::1]'))).outcome, 'accepted')
    assert.ok(server.received.some((message) => message.to[0]?.endsWith('@[IPv6:2001:db8::1]')))
  }))

test('a header with characters beyond ASCII is sent with SMTPUTF8 when the server offers it', async () => {
  const expectMail = (extensions: string[], raw: string, parameters: string) =>
    withServer({ extensions }, async ({ server, transport }) => {
      const message = { ...to('jane@x.net'), raw: Buffer.from(raw) }
      assert.equal((await transport.send(message)).outcome, 'accepted')
      assert.ok(server.commands.includes(`MAIL FROM:<sender@example.com>${parameters}`))
    })
  await expectMail(['SMTPUTF8'], 'Subject: né\r\n\r\nx\r\n', ' SMTPUTF8')
  await expectMail(['SMTPUTF8'], 'Subject: x\r\n\r\nné\r\n', '')
  await expectMail([], 'Subject: né\r\n\r\nx\r\n', '')
})

test('without SMTPUTF8 an international domain is sent in ASCII and a local part is refused', () =>
  withServer({}, async ({ server, transport }) => {
    const result = await transport.send(to('jürgen@x.net', 'jane@bücher.example'))
    assert.equal(result.outcome, 'accepted')
    assert.deepEqual(
      result.recipients.map(({ outcome }) => outcome),
      ['refused', 'accepted'],
    )
    assert.equal(result.fault?.code, 'utf8_unsupported')
    assert.deepEqual(server.received[0]?.to, ['jane@xn--bcher-kva.example'])
    assert.equal((await transport.send(to('jürgen@x.net'))).fault?.code, 'utf8_unsupported')
  }))

test('an envelope that could inject commands is refused before a connection', () =>
  withServer({}, async ({ server, transport }) => {
    for (const address of [
      'a@x.net>\r\nRCPT TO:<b@x.net',
      'a b@x.net',
      '-t@x.net',
      'no-domain',
      '<a@x.net>',
      'a@',
      'joe@bücher.example/x',
      'joe@bücher.example?x',
      'joe@bücher.example#x',
      'joe@bücher.example\\x',
      'joe@bücher%2Eexample',
      'joe@bücher.example:25',
    ])
      assert.equal((await transport.send(to(address))).fault?.code, 'address_invalid', address)
    assert.equal((await transport.send(to())).fault?.code, 'address_invalid')
    assert.equal(server.sessions(), 0)
  }))

test('a send that is cancelled before the last byte is refused, after it uncertain', async () => {
  for (const [step, outcome] of [
    ['rcpt', 'refused'],
    ['dot', 'uncertain'],
  ] as const)
    await withServer({ script: { [step]: { end: 'hang' } } }, async ({ transport, server }) => {
      const controller = new AbortController()
      const sent = transport.send(shortMessage, { signal: controller.signal })
      const isThere = () => server.commands.some((line) => line.startsWith('RCPT'))
      await until(() => (step === 'dot' ? server.received.length > 0 : isThere()))
      controller.abort()
      const result = await sent
      assert.equal(result.outcome, outcome)
      assert.equal(result.fault?.code, 'cancelled')
    })
})

for (const hasPipelining of [true, false])
  test(`a message that is not ready is not sent, only its envelope, ${hasPipelining ? 'pipelined' : 'step by step'}`, () =>
    withServer({ hasPipelining }, async ({ server, transport }) => {
      const { promise: ready, resolve } = Promise.withResolvers<void>()
      const sent = transport.send(shortMessage, { ready })
      await until(() => server.commands.includes('DATA'))
      await new Promise((passed) => setTimeout(passed, 50))
      assert.equal(server.received.length, 0)
      resolve()
      assert.equal((await sent).outcome, 'accepted')
      assert.equal(server.received.length, 1)
    }))

test('a message whose ready promise rejects is refused, and the next one is sent', () =>
  withServer({}, async ({ server, transport }) => {
    const ready = rejected('the disk is full')
    const result = await transport.send(shortMessage, { ready })
    assert.equal(result.outcome, 'refused')
    assert.equal(result.isRetrySafe, true)
    assert.equal(result.fault?.code, 'cancelled')
    assert.match(result.fault?.message ?? '', /before the message was sent: the disk is full/)
    assert.equal((await transport.send(to('next@x.net'))).outcome, 'accepted')
    assert.deepEqual(
      server.received.map((message) => message.to),
      [['next@x.net']],
    )
  }))

test('a cancelled send does not cancel the next one on the same connection', () =>
  withServer(
    {
      mailer: { connectionsMax: 1 },
      script: { dot: (_line, before) => (before === 0 ? { end: 'hang' } : undefined) },
    },
    async ({ transport, server }) => {
      const controller = new AbortController()
      const cancelled = transport.send(shortMessage, { signal: controller.signal })
      const behind = transport.send(to('next@x.net'))
      await until(() => server.received.length > 0)
      controller.abort()
      assert.equal((await cancelled).outcome, 'uncertain')
      assert.equal((await cancelled).fault?.code, 'cancelled')
      assert.equal((await behind).outcome, 'accepted')
    },
  ))

test('commands are not sent directly after a message to a server that loses them', () =>
  withServer(
    {
      mailer: { connectionsMax: 1, timeouts: { commandMs: 2000 } },
      losesPipelined: true,
    },
    async ({ transport, server }) => {
      const results = await Promise.all([1, 2, 3, 4].map(() => transport.send(shortMessage)))
      assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
      assert.equal(server.received.length, 4)
      assert.equal(server.sessions(), 2)
    },
  ))

test('when a server cannot be reached, waiting messages fail too', () =>
  withServer({ mailer: { connectionsMax: 1 } }, async ({ server, transport }) => {
    await server.close()
    const results = await Promise.all(
      Array.from({ length: 50 }, () => transport.send(shortMessage)),
    )
    assert.ok(results.every(({ fault }) => fault?.code === 'connection_refused'))
  }))

test('close() finishes current messages, refuses waiting and new ones, and leaves no socket', async () => {
  const server = await startScriptedServer()
  const transport = createMailer({ connectionsMax: 2 }).open(`smtp://localhost:${server.port}`)
  const sends = Array.from({ length: 20 }, () => transport.send(shortMessage))
  await until(() => server.received.length > 0)
  await transport.close()
  const results = await Promise.all(sends)
  const accepted = results.filter(({ outcome }) => outcome === 'accepted')
  assert.equal(accepted.length, server.received.length)
  for (const { outcome, fault } of results)
    assert.ok(outcome === 'accepted' || fault?.code === 'transport_closed')
  assert.equal((await transport.send(shortMessage)).fault?.code, 'transport_closed')
  await until(() => server.openSockets() === 0)
  await server.close()
})

test('the load counts connections, current and waiting messages', () =>
  withServer(
    { mailer: { connectionsMax: 1 }, script: { mail: { end: 'hang' } } },
    async (fixture) => {
      const { transport } = fixture
      const controller = new AbortController()
      const sends = [1, 2, 3].map(() => transport.send(shortMessage, { signal: controller.signal }))
      await until(() => transport.load().connections > 0)
      assert.deepEqual(transport.load(), { connections: 1, sending: 1, waiting: 2 })
      controller.abort()
      await Promise.all(sends)
      assert.deepEqual(transport.load(), { connections: 0, sending: 0, waiting: 0 })
    },
  ))
