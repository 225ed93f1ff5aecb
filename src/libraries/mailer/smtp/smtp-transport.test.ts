import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { clockAt, createMovableClock } from '../../../../test/movable-clock.ts'
import { until } from '../../../../test/until.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import { rejected, shortMessage, messageTo as to } from '../testing/sample-message.case.test.ts'
import { authority, goodCertificate } from '../testing/smtp-faults.case.test.ts'
import {
  type ScriptedServerOptions,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Starts a scripted server and opens a transport to it; both are closed after the test. */
async function open(
  options: ScriptedServerOptions & { query?: string; mailer?: MailerOptions } = {},
) {
  const server = await startScriptedServer(options)
  const mailer = createMailer({ certificates: [authority.cert], ...options.mailer })
  const transport = mailer.open(`smtp://localhost:${server.port}${options.query ?? ''}`)
  closing.push(
    () => transport.close(),
    () => server.close(),
  )
  return { server, transport }
}

const resultsOf = ({ recipients }: DeliveryResult) =>
  recipients.map((each) => [each.address, each.outcome, each.reply?.code, each.isPermanent])

for (const hasPipelining of [true, false]) {
  const how = hasPipelining ? 'pipelined' : 'step by step'

  test(`a message is received unchanged, with its envelope, ${how}`, async () => {
    const { server, transport } = await open({ hasPipelining })
    const raw = Buffer.from('Subject: dots\r\n\r\n.\r\n..two\r\nlast')
    const envelope = { from: '', to: ['a@example.net', 'b@example.net'] }
    const result = await transport.send({ envelope, raw })
    assert.equal(result.outcome, 'accepted')
    assert.equal(result.messageId, 'TEST1')
    assert.equal(result.member, `smtp://localhost:${server.port}`)
    const data = 'Subject: dots\r\n\r\n..\r\n...two\r\nlast\r\n'
    assert.deepEqual(server.received, [{ ...envelope, data, isAccepted: true }])
  })

  test(`each recipient has its own result when some are refused, ${how}`, async () => {
    const { server, transport } = await open({
      hasPipelining,
      script: {
        rcpt: (line) => {
          if (line.includes('gone')) return '550 5.1.1 No such user'
          return line.includes('full') ? '452 4.2.2 Mailbox full' : '250 2.1.5 Ok'
        },
      },
    })
    const result = await transport.send(to('gone@x.net', 'here@x.net', 'full@x.net'))
    assert.equal(result.outcome, 'accepted')
    assert.deepEqual(resultsOf(result), [
      ['gone@x.net', 'refused', 550, true],
      ['here@x.net', 'accepted', 250, false],
      ['full@x.net', 'refused', 452, false],
    ])
    assert.equal(result.fault?.code, 'recipient_unknown')
    assert.deepEqual(server.received[0]?.to, ['here@x.net'])
  })

  test(`when all recipients are refused, the fault names each reason, ${how}`, async () => {
    const { transport } = await open({ hasPipelining, script: { rcpt: '550 5.1.1 no' } })
    const { fault } = await transport.send(to('a@x.net', 'b@x.net'))
    assert.match(
      fault?.message ?? '',
      /a@x\.net .* 550 5\.1\.1 no\. .* b@x\.net .* 550 5\.1\.1 no\./,
    )
  })

  test(`after a refused message the next one uses the same connection, ${how}`, async () => {
    const { server, transport } = await open({
      hasPipelining,
      script: {
        mail: (line) => (line.includes('bad') ? '550 5.7.1 No' : '250 Ok'),
        rcpt: (line) => (line.includes('gone') ? '550 5.1.1 No such user' : undefined),
      },
    })
    assert.equal((await transport.send(to('gone@x.net'))).fault?.code, 'recipient_unknown')
    const bad = { ...shortMessage, envelope: { from: 'bad@example.com', to: ['a@x.net'] } }
    assert.equal((await transport.send(bad)).fault?.code, 'sender_refused')
    for (const address of ['a@x.net', 'b@x.net'])
      assert.equal((await transport.send(to(address))).outcome, 'accepted')
    assert.equal(server.sessions(), 1)
    assert.ok(server.commands.includes('RSET'))
  })

  test(`a message that is not ready is not sent, only its envelope, ${how}`, async () => {
    const { server, transport } = await open({ hasPipelining })
    const { promise: ready, resolve } = Promise.withResolvers<void>()
    const sent = transport.send(shortMessage, { ready })
    await until(() => server.commands.includes('DATA'), 'its envelope is sent')
    await setTimeout(50)
    assert.equal(server.received.length, 0)
    resolve()
    assert.equal((await sent).outcome, 'accepted')
    assert.equal(server.received.length, 1)
  })
}

test('many messages share the connections, take one round trip each, and are all received once', async () => {
  const mailer = { connectionsMax: 3 }
  const { server, transport } = await open({ mailer, query: '?restart_threshold=0' })
  const results = await Promise.all(
    Array.from({ length: 500 }, (_, index) => transport.send(to(`u${index}@x.net`))),
  )
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(new Set(server.received.map((one) => one.to[0])).size, 500)
  assert.equal(server.received.length, 500)
  assert.ok(server.sessions() <= 3)
})

test('a message whose connection ends is uncertain, and the next ones are sent over another connection', async () => {
  const { server, transport } = await open({
    mailer: { connectionsMax: 1 },
    script: { dot: (_line, before) => (before === 2 ? { end: 'close' } : '250 Ok') },
  })
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => transport.send(to(`u${index}@x.net`))),
  )
  const outcomes = results.map(({ outcome }) => outcome)
  assert.equal(outcomes.filter((outcome) => outcome === 'uncertain').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 9)
  const arrived = server.received.map((one) => one.to[0])
  assert.equal(new Set(arrived).size, arrived.length, 'none arrived twice')
})

for (const [how, dot, outcome, code] of [
  ['is lost', { end: 'close' }, 'uncertain', undefined],
  ['is refused', '452 4.3.1 Full', 'refused', 452],
] as const)
  test(`a refused recipient stays refused when the message ${how}`, async () => {
    const { transport } = await open({
      script: { rcpt: (line) => (line.includes('no@') ? '550 5.1.1 No' : undefined), dot },
    })
    const result = await transport.send(to('no@x.net', 'yes@x.net'))
    assert.equal(result.outcome, outcome)
    assert.deepEqual(resultsOf(result), [
      ['no@x.net', 'refused', 550, true],
      ['yes@x.net', outcome, code, false],
    ])
  })

test('no message is lost when the server closes an idle connection', async () => {
  const { server, transport } = await open()
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  await server.dropConnections()
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(server.sessions(), 2)
})

test('no message is lost when the server ends an idle session at the next MAIL', async () => {
  const { server, transport } = await open({
    script: {
      mail: (_line, before) => (before === 1 ? { say: '421 4.4.2 Idle', end: 'close' } : undefined),
    },
  })
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(server.received.length, 2)
})

test('restart_threshold closes a connection after that many messages', async () => {
  const { server, transport } = await open({ query: '?restart_threshold=2' })
  for (let index = 0; index < 5; index += 1) await transport.send(shortMessage)
  assert.equal(server.sessions(), 3)
  assert.equal(server.commands.filter((line) => line === 'QUIT').length, 2)
})

test('restart_threshold_sleep delays the next connection', async () => {
  const clock = createMovableClock()
  const query = '?restart_threshold=1&restart_threshold_sleep=60'
  const { server, transport } = await open({ query, mailer: { clock } })
  await transport.send(shortMessage)
  const cancelling = new AbortController()
  const sent = transport.send(shortMessage, { signal: cancelling.signal })
  const other = createMailer().open(`smtp://localhost:${server.port}?auto_tls=0`)
  await other.send(shortMessage)
  await other.close()
  assert.equal(server.received.length, 2)
  cancelling.abort()
  assert.notEqual((await sent).outcome, 'accepted')
  clock.advance(60_000)
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
})

test('ping_threshold checks an idle connection with NOOP, and one that fails it is replaced', async () => {
  for (const [noop, sessions] of [
    ['250 Ok', 1],
    ['421 4.4.2 Bye', 2],
  ] as const) {
    const { server, transport } = await open({ query: '?ping_threshold=0', script: { noop } })
    for (const _ of [1, 2]) assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    assert.ok(server.commands.includes('NOOP'))
    assert.equal(server.sessions(), sessions)
  }
})

test('max_per_second limits all connections together', async () => {
  let now = 0
  const mailer = { connectionsMax: 5, clock: clockAt(() => now) }
  const { server, transport } = await open({ query: '?max_per_second=20', mailer })
  const sent = [1, 2, 3].map(() => transport.send(shortMessage))
  for (const [index, each] of sent.entries()) {
    await each
    assert.deepEqual([server.received.length, transport.load().waiting], [index + 1, 2 - index])
    now += 50
  }
})

test('a server that allows fewer connections is used with fewer', async () => {
  const { server, transport } = await open({
    mailer: { connectionsMax: 4 },
    script: {
      greeting: (_line, before) => (before === 0 ? '220 test' : '421 4.7.0 Too many connections'),
    },
  })
  const results = await Promise.all(Array.from({ length: 20 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(server.received.length, 20)
})

test('STARTTLS is used when it is offered, but not with auto_tls=0', async () => {
  for (const [query, commands] of [
    ['', ['EHLO', 'STARTTLS', 'EHLO']],
    ['?auto_tls=0', ['EHLO', 'MAIL', 'RCPT']],
  ] as const) {
    const tls = { tls: 'starttls', certificate: goodCertificate } as const
    const { server, transport } = await open({ ...tls, query })
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    const first = server.commands.slice(0, 3).map((line) => line.split(' ')[0])
    assert.deepEqual(first, commands)
  }
})

test('EHLO sends local_domain, an address in brackets, or the default of the mailer', async () => {
  const names: [string, MailerOptions, string][] = [
    ['?local_domain=mta.example.org', {}, 'EHLO mta.example.org'],
    ['?local_domain=2001:db8::1', {}, 'EHLO [IPv6:2001:db8::1]'],
    ['', {}, 'EHLO [127.0.0.1]'],
    ['', { localDomain: 'mta.example.org' }, 'EHLO mta.example.org'],
  ]
  for (const [query, mailer, line] of names) {
    const { server, transport } = await open({ query, mailer })
    await transport.send(shortMessage)
    assert.equal(server.commands[0], line)
  }
})

test('SIZE, 8BITMIME and SMTPUTF8 are used only when the server offers them and the message needs them', async () => {
  const body = 'Subject: x\r\n\r\nä\r\n'
  const header = 'Subject: né\r\n\r\nx\r\n'
  for (const [extensions, raw, parameters] of [
    [['SIZE 10000', '8BITMIME'], body, ' SIZE=18 BODY=8BITMIME'],
    [[], body, ''],
    [['SMTPUTF8'], header, ' SMTPUTF8'],
    [['SMTPUTF8'], body, ''],
    [[], header, ''],
  ] as const) {
    const { server, transport } = await open({ extensions: [...extensions] })
    const message = { ...to('jane@x.net'), raw: Buffer.from(raw) }
    assert.equal((await transport.send(message)).outcome, 'accepted')
    assert.equal(server.commands[1], `MAIL FROM:<sender@example.com>${parameters}`)
  }
})

test('an international address is sent with SMTPUTF8, its domain in ASCII', async () => {
  const { server, transport } = await open({ extensions: ['SMTPUTF8'] })
  assert.equal((await transport.send(to('jürgen@bücher.example'))).outcome, 'accepted')
  assert.ok(server.commands.includes('MAIL FROM:<sender@example.com> SMTPUTF8'))
  assert.equal((await transport.send(to('jürgen@[IPv6:2001:db8::1]'))).outcome, 'accepted')
  assert.ok(server.received.some((message) => message.to[0]?.endsWith('@[IPv6:2001:db8::1]')))
})

test('a quoted local part is sent as it is, whatever is in the quotes', async () => {
  const { server, transport } = await open()
  for (const local of ['odd user', 'a@b', 'a>b', 'a\\"\\\\b', '', '> SIZE=1', '-t']) {
    const from = `"${local}"@x.net`
    await transport.send({ ...shortMessage, envelope: { from, to: [from] } })
    assert.deepEqual(server.commands.slice(-3, -1), [`MAIL FROM:<${from}>`, `RCPT TO:<${from}>`])
  }
})

test('without SMTPUTF8 an international domain is sent in ASCII and a local part is refused', async () => {
  const { server, transport } = await open()
  const result = await transport.send(to('jürgen@x.net', 'jane@bücher.example'))
  assert.equal(result.outcome, 'accepted')
  assert.equal(result.recipients[0]?.outcome, 'refused')
  assert.equal(result.fault?.code, 'utf8_unsupported')
  assert.deepEqual(server.received[0]?.to, ['jane@xn--bcher-kva.example'])
  assert.equal((await transport.send(to('jürgen@x.net'))).fault?.code, 'utf8_unsupported')
})

test('an envelope that could inject commands is refused before a connection', async () => {
  const { server, transport } = await open()
  const injecting = ['a@x.net>\r\nRCPT TO:<b@x.net', '"a\r\nDATA"@x.net', '<a@x.net>', '-t@x.net']
  const malformed = ['a b@x.net', 'a,b@x.net', '"a"@y.net"@x.net', '"a\\"@x.net', 'no-domain', 'a@']
  const foreign = ['/x', '?x', '#x', '\\x', '%2E', ':25'].map((end) => `joe@bücher.example${end}`)
  for (const address of [...injecting, ...malformed, ...foreign])
    assert.equal((await transport.send(to(address))).fault?.code, 'address_invalid', address)
  assert.equal((await transport.send(to())).fault?.code, 'address_invalid')
  assert.equal(server.sessions(), 0)
})

test('a send that is cancelled before the last byte is refused, after it uncertain', async () => {
  for (const [step, outcome] of [
    ['rcpt', 'refused'],
    ['dot', 'uncertain'],
  ] as const) {
    const { transport, server } = await open({ script: { [step]: { end: 'hang' } } })
    const controller = new AbortController()
    const sent = transport.send(shortMessage, { signal: controller.signal })
    const isAsked = () => server.commands.some((line) => line.startsWith('RCPT'))
    await until(step === 'dot' ? () => server.received.length > 0 : isAsked, step)
    controller.abort()
    const result = await sent
    assert.equal(result.outcome, outcome)
    assert.equal(result.fault?.code, 'cancelled')
  }
})

test('a message whose ready promise rejects is refused, and the next one is sent', async () => {
  const { server, transport } = await open()
  const ready = rejected('the disk is full')
  const result = await transport.send(shortMessage, { ready })
  assert.equal(result.outcome, 'refused')
  assert.equal(result.isRetrySafe, true)
  assert.equal(result.fault?.code, 'cancelled')
  assert.match(result.fault?.message ?? '', /the disk is full/)
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(server.received.length, 1)
})

test('a cancelled send does not cancel the next one on the same connection', async () => {
  const { transport, server } = await open({
    mailer: { connectionsMax: 1 },
    script: { dot: (_line, before) => (before === 0 ? { end: 'hang' } : undefined) },
  })
  const controller = new AbortController()
  const cancelled = transport.send(shortMessage, { signal: controller.signal })
  const behind = transport.send(to('next@x.net'))
  await until(() => server.received.length > 0, 'a message is there')
  controller.abort()
  assert.equal((await cancelled).outcome, 'uncertain')
  assert.equal((await cancelled).fault?.code, 'cancelled')
  assert.equal((await behind).outcome, 'accepted')
})

test('commands are not sent directly after a message to a server that loses them', async () => {
  const { transport, server } = await open({
    mailer: { connectionsMax: 1, timeouts: { commandMs: 2000 } },
    losesPipelined: true,
  })
  const results = await Promise.all([1, 2, 3, 4].map(() => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(server.received.length, 4)
  assert.equal(server.sessions(), 2)
})

test('when a server cannot be reached, waiting messages fail too', async () => {
  const { server, transport } = await open({ mailer: { connectionsMax: 1 } })
  await server.close()
  const results = await Promise.all(Array.from({ length: 50 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ fault }) => fault?.code === 'connection_refused'))
})

test('close() finishes current messages, refuses waiting and new ones, and leaves no socket', async () => {
  const { server, transport } = await open({ mailer: { connectionsMax: 2 } })
  const sends = Array.from({ length: 20 }, () => transport.send(shortMessage))
  await until(() => server.received.length > 0, 'a message is there')
  await transport.close()
  const results = await Promise.all(sends)
  const accepted = results.filter(({ outcome }) => outcome === 'accepted')
  assert.equal(accepted.length, server.received.length)
  for (const { outcome, fault } of results)
    assert.ok(outcome === 'accepted' || fault?.code === 'transport_closed')
  assert.equal((await transport.send(shortMessage)).fault?.code, 'transport_closed')
  await until(() => server.openSockets() === 0, 'no socket is left')
})

test('the load counts connections, current and waiting messages', async () => {
  const script = { mail: { end: 'hang' } } as const
  const { transport } = await open({ mailer: { connectionsMax: 1 }, script })
  const controller = new AbortController()
  const sends = [1, 2, 3].map(() => transport.send(shortMessage, { signal: controller.signal }))
  await until(() => transport.load().connections > 0, 'it is connected')
  assert.deepEqual(transport.load(), { connections: 1, sending: 1, waiting: 2 })
  controller.abort()
  await Promise.all(sends)
  assert.deepEqual(transport.load(), { connections: 0, sending: 0, waiting: 0 })
})
