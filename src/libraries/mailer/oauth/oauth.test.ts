import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { jwtVerify } from 'jose'
import { clockAt, createMovableClock } from '../../../../test/movable-clock.ts'
import { until } from '../../../../test/until.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { Transport } from '../delivery/transport.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import type { Message } from '../message/message.ts'
import { shortMessage } from '../testing/sample-message.case.test.ts'
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'
import {
  acceptsTokens,
  loginOf,
  startTokenServer,
  type TokenServer,
} from '../testing/token-server.case.test.ts'

let tokens: TokenServer
let smtp: ScriptedServer
const opened: Transport[] = []

before(async () => {
  tokens = await startTokenServer()
})
after(() => tokens.close())
afterEach(async () => {
  for (const transport of opened.splice(0)) await transport.close()
  await smtp.close()
  tokens.requests.length = 0
  tokens.valid.clear()
  tokens.more = {}
  tokens.respondWith(() => undefined)
})

const client = 'CLIENT:S3CR3T-value'

function dsnOf(query = '', credentials = client): string {
  const tokenUrl = encodeURIComponent(tokens.url)
  return `smtp+oauth://${credentials}@localhost:${smtp.port}?tokenUrl=${tokenUrl}${query}`
}

async function open(
  query = '',
  options: { server?: ScriptedServerOptions; mailer?: MailerOptions; credentials?: string } = {},
): Promise<Transport> {
  smtp = await startScriptedServer(options.server ?? acceptsTokens(tokens))
  return openAgain(query, options)
}

function openAgain(
  query = '',
  { mailer, credentials }: { mailer?: MailerOptions; credentials?: string } = {},
): Transport {
  return openDsn(dsnOf(query, credentials), createMailer(mailer))
}

function openDsn(dsn: string, mailer = createMailer()): Transport {
  const transport = mailer.open(dsn)
  opened.push(transport)
  return transport
}

/** The mailboxes and tokens that logged in, or tried to. */
function logins(): { user: string; token: string }[] {
  return smtp.commands.filter((line) => line.startsWith('AUTH ')).map(loginOf)
}

function assertLogins(...mailboxes: string[]): void {
  const users = logins().map(({ user }) => user)
  assert.deepEqual(users, mailboxes)
}

/** A server that refuses the log-in to one mailbox. */
function refusing(mailbox: string, reply = '535 5.7.3 No'): ScriptedServerOptions {
  const auth = (line: string) => (loginOf(line).user === mailbox ? reply : undefined)
  return acceptsTokens(tokens, { auth })
}

/** Holds the answers of the token server back; returns what lets them go. */
function holdTokens(): () => void {
  const answer = Promise.withResolvers<undefined>()
  tokens.respondWith(() => answer.promise as never)
  return () => answer.resolve(undefined)
}

const untilRequested = () => until(() => tokens.requests.length > 0, 'a token is requested')

function messageFrom(from: string, more = ''): Message {
  const raw = Buffer.from(`From: ${from}\r\n${more}To: jane@example.net\r\n\r\nHello.\r\n`)
  return { raw, envelope: { from: 'bounces@example.com', to: ['jane@example.net'] } }
}

/** An answer of a token endpoint, whose token no server knows unless a test adds it. */
const grant = (values: object = {}) =>
  JSON.stringify({ access_token: 'the-token', token_type: 'Bearer', ...values })

test('an application logs in to the mailbox of the sender with its own token', async () => {
  const transport = await open('&scope=mail.send')
  const result = await transport.send(messageFrom('Shop <shop@example.com>'))
  assert.equal(result.outcome, 'accepted', result.fault?.message)
  assert.deepEqual(tokens.requests, [
    {
      grant_type: 'client_credentials',
      client_id: 'CLIENT',
      client_secret: 'S3CR3T-value',
      scope: 'mail.send',
    },
  ])
  assert.deepEqual(logins(), [{ user: 'shop@example.com', token: 'token-1-of-the-test' }])
})

test('OAUTHBEARER is used where only that is offered', async () => {
  const transport = await open('&mailbox=a%3Db@example.com', {
    server: acceptsTokens(tokens, {}, 'OAUTHBEARER'),
  })
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  const line = smtp.commands.find((command) => command.startsWith('AUTH OAUTHBEARER')) ?? ''
  assert.equal(
    Buffer.from(line.split(' ')[2] ?? '', 'base64').toString(),
    `n,a=a=3Db@example.com,\x01host=localhost\x01port=${smtp.port}\x01auth=Bearer token-1-of-the-test\x01\x01`,
  )
  tokens.valid.clear()
  const refused = await openAgain('&mailbox=a%3Db@example.com').send(shortMessage)
  assert.equal(refused.outcome, 'accepted', 'a refused token is replaced')
})

test('each sender has a session of its own, and the option mailbox makes it one for all', async () => {
  const transport = await open()
  const senders = ['a@example.com', 'b@example.com', 'A@example.com', 'b@example.com']
  for (const sender of senders)
    assert.equal((await transport.send(messageFrom(sender))).outcome, 'accepted')
  assertLogins('a@example.com', 'b@example.com')
  assert.equal(tokens.requests.length, 1)
  const fixed = openAgain('&mailbox=all@example.com')
  for (const sender of senders) await fixed.send(messageFrom(sender))
  assertLogins('a@example.com', 'b@example.com', 'all@example.com')
})

test('the mailbox is that of Sender, then of From, then of the envelope', async () => {
  const transport = await open()
  await transport.send(messageFrom('a@example.com, b@example.com', 'Sender: c@example.com\r\n'))
  await transport.send(messageFrom('a@example.com, b@example.com'))
  await transport.send(
    messageFrom('"Shop, Ltd."\r\n <d@example.com>', 'X: y\u2028Sender: e@example.com\r\n'),
  )
  await transport.send(messageFrom('undisclosed:;'))
  const nameless = messageFrom('undisclosed:;')
  const { outcome, fault } = await transport.send({
    ...nameless,
    envelope: { ...nameless.envelope, from: '' },
  })
  assert.deepEqual([outcome, fault?.scope], ['refused', 'message'])
  assert.match(fault?.hint ?? '', /mailbox/)
  assertLogins('c@example.com', 'a@example.com', 'd@example.com', 'bounces@example.com')
})

test('a From of megabytes has the mailbox that it begins with', async () => {
  const transport = await open()
  const long = `Shop <shop@example.com>,\r\n ${'x: '.repeat(1_000_000)}`
  assert.equal((await transport.send(messageFrom(long))).outcome, 'accepted')
  assertLogins('shop@example.com')
})

test('a hundred connections that wait for a token request it once', async () => {
  const transport = await open('&mailbox=shop@example.com', { mailer: { connectionsMax: 100 } })
  const answer = holdTokens()
  const results = Array.from({ length: 100 }, () => transport.send(shortMessage))
  await until(() => smtp.sessions() === 100, 'all are connected')
  answer()
  for (const { outcome, fault } of await Promise.all(results))
    assert.equal(outcome, 'accepted', fault?.message)
  assert.equal(tokens.requests.length, 1)
})

test('a run of 1,000 messages whose token ends in the middle loses and repeats none', async () => {
  const endToken = (_sender: string, before: number) => {
    if (before === 500) tokens.valid.clear()
    return undefined
  }
  const transport = await open('&mailbox=shop@example.com&restart_threshold=20', {
    server: acceptsTokens(tokens, { dot: endToken }),
  })
  const results = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      transport.send(messageFrom(`shop@example.com\r\nSubject: ${index}`)),
    ),
  )
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  const subjects = smtp.received.map(({ data }) => Number(/Subject: (\d+)/.exec(data)?.[1]))
  assert.deepEqual(
    subjects.sort((a, b) => a - b),
    Array.from({ length: 1_000 }, (_, index) => index),
  )
  assert.equal(tokens.requests.length, 2)
})

test('a token is kept until five minutes before its end', async () => {
  const clock = createMovableClock()
  const query = '&mailbox=shop@example.com&restart_threshold=1'
  const transport = await open(query, { mailer: { clock } })
  const requestsAfter = async () => {
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    return tokens.requests.length
  }
  assert.equal(await requestsAfter(), 1)
  clock.advance(54 * 60_000)
  assert.equal(await requestsAfter(), 1)
  clock.advance(2 * 60_000)
  assert.equal(await requestsAfter(), 2)
})

test('a refused token is replaced once, and then the fault is shown', async () => {
  const transport = await open()
  tokens.respondWith(() => ({ status: 200, body: grant() }))
  const { outcome, fault, isPermanent } = await transport.send(messageFrom('shop@example.com'))
  assert.deepEqual([outcome, isPermanent], ['refused', false])
  assert.deepEqual([fault?.code, fault?.stage], ['token_refused', 'auth'])
  assert.match(fault?.message ?? '', /535 5\.7\.3/)
  assert.equal(logins().length, 2)
  assert.equal(tokens.requests.length, 2)
})

for (const [reply, code] of [
  ['535 5.7.3 No', 'token_refused'],
  ['454 4.7.0 Temporary authentication failure', 'login_unavailable'],
])
  test(`a mailbox that is refused with "${reply}" stops neither the others nor the transport`, async () => {
    const transport = await open('', { server: refusing('no@example.com', reply) })
    assert.equal((await transport.send(messageFrom('a@example.com'))).outcome, 'accepted')
    const refused = await transport.send(messageFrom('no@example.com'))
    assert.deepEqual([refused.fault?.code, refused.fault?.scope], [code, 'message'])
    assert.equal(refused.isPermanent, false)
    assert.equal((await transport.send(messageFrom('b@example.com'))).outcome, 'accepted')
    assert.equal(tokens.requests.length, 1, 'the others keep their token')
    const fixed = await openAgain('&mailbox=no@example.com').send(messageFrom('a@example.com'))
    assert.equal(fixed.fault?.scope, 'member')
  })

test('a mailbox whose log-in was refused is left alone for a minute', async () => {
  let now = Date.parse('2026-11-26T12:00:00Z')
  let isAllowed = false
  const transport = await open('', {
    server: acceptsTokens(tokens, { auth: () => (isAllowed ? undefined : '535 5.7.3 No') }),
    mailer: { clock: clockAt(() => now) },
  })
  const results = await Promise.all(
    Array.from({ length: 20 }, () => transport.send(messageFrom('shop@example.com'))),
  )
  assert.ok(results.every(({ fault }) => fault?.code === 'token_refused'))
  const loginCount = logins().length
  assert.ok(loginCount <= 10, 'the 20 messages try few log-ins')
  const next = await transport.send(messageFrom('shop@example.com'))
  assert.equal(next.fault?.code, 'token_refused')
  assert.equal(next.retryAfterMs, 60_000)
  assert.equal(logins().length, loginCount)
  isAllowed = true
  now += 60_000
  assert.equal((await transport.send(messageFrom('shop@example.com'))).outcome, 'accepted')
})

test('a list whose members all refuse a mailbox stays in use for other senders', async () => {
  await open('', { server: refusing('no@example.com') })
  const transport = openDsn(`failover(${dsnOf()} ${dsnOf()})`)
  const { fault, attempts } = await transport.send(messageFrom('no@example.com'))
  assert.deepEqual([fault?.code, fault?.scope], ['token_refused', 'message'])
  assert.equal(attempts.length, 2)
  assert.equal((await transport.send(messageFrom('a@example.com'))).outcome, 'accepted')
})

test('a failover goes on with a message whose mailbox is refused', async () => {
  await open('', { server: refusing('a@example.com') })
  const transport = openDsn(`failover(${dsnOf()} null://null)`)
  const { outcome, attempts } = await transport.send(messageFrom('a@example.com'))
  assert.equal(outcome, 'accepted')
  assert.equal(attempts.length, 2)
})

test('a mailbox sends no more than its messages of a minute, and others need not wait for it', async () => {
  let now = Date.parse('2026-11-26T12:00:00Z')
  const transport = await open('&max_per_minute=2', { mailer: { clock: clockAt(() => now) } })
  for (const sender of ['a@example.com', 'a@example.com', 'b@example.com'])
    assert.equal((await transport.send(messageFrom(sender))).outcome, 'accepted')
  const stop = new AbortController()
  const waiting = Array.from({ length: 10 }, () =>
    transport.send(messageFrom('a@example.com'), { signal: stop.signal }),
  )
  let refused: DeliveryResult
  // Until all ten wait, one more waits too.
  do
    refused = await transport.send(messageFrom('a@example.com'), {
      signal: AbortSignal.timeout(100),
    })
  while (refused.fault?.code === 'cancelled')
  assert.deepEqual([refused.fault?.code, refused.fault?.scope], ['throttled', 'message'])
  assert.equal(refused.retryAfterMs, 300_000)
  const later = await transport.send(messageFrom('a@example.com'))
  assert.equal(later.retryAfterMs, 330_000)
  assert.equal((await transport.send(messageFrom('b@example.com'))).outcome, 'accepted')
  stop.abort()
  for (const { outcome } of await Promise.all(waiting)) assert.equal(outcome, 'refused')
  now += 60_000
  assert.equal((await transport.send(messageFrom('a@example.com'))).outcome, 'accepted')
})

test('a mailbox has no more connections than max_connections', async () => {
  const transport = await open('&mailbox=shop@example.com&max_connections=2')
  await Promise.all(Array.from({ length: 20 }, () => transport.send(shortMessage)))
  assert.equal(smtp.received.length, 20)
  assert.ok(smtp.sessions() <= 2)
})

/** Stores refresh tokens one after another, unless it is full. */
class RefreshTokens {
  readonly stored: string[] = []
  isFull = false

  readonly find = async () => this.stored.at(-1)

  readonly save = async (key: string, token: string) => {
    assert.match(key, /^[0-9a-f]{64}$/)
    if (this.isFull) throw new Error('disk full')
    this.stored.push(token)
  }
}

const withRefreshToken = '&mailbox=shop@example.com&refreshToken=first-token'

test('a refresh token is exchanged for access tokens, and its successor is stored and used', async () => {
  const refreshTokens = new RefreshTokens()
  const mailer = { refreshTokens }
  const transport = await open(withRefreshToken, { mailer })
  tokens.more = { refresh_token: 'second-token' }
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.deepEqual(tokens.requests[0], {
    grant_type: 'refresh_token',
    client_id: 'CLIENT',
    client_secret: 'S3CR3T-value',
    refresh_token: 'first-token',
  })
  assert.deepEqual(refreshTokens.stored, ['second-token'])
  tokens.more = {}
  const again = openAgain(withRefreshToken, { mailer })
  assert.equal((await again.send(shortMessage)).outcome, 'accepted')
  assert.equal(tokens.requests[1]?.['refresh_token'], 'second-token')
})

test('a refresh token of 8 KB is stored, and shown nowhere', async () => {
  const refreshTokens = new RefreshTokens()
  const successor = 'r+/'.repeat(3_000).slice(0, 8 * 1_024)
  const repeat = () => `535 5.7.8 Not ${successor}`
  const server = acceptsTokens(tokens, { auth: repeat })
  const transport = await open(withRefreshToken, { mailer: { refreshTokens }, server })
  tokens.more = { refresh_token: successor }
  const result = await transport.send(shortMessage)
  assert.deepEqual([result.outcome, result.fault?.stage], ['refused', 'auth'])
  assert.doesNotMatch(JSON.stringify(result), /r\+\/r/)
  assert.equal(refreshTokens.stored[0], successor)
})

test('a refresh token that cannot be stored is kept and stored before the next message', async () => {
  const refreshTokens = new RefreshTokens()
  refreshTokens.isFull = true
  const transport = await open(withRefreshToken, { mailer: { refreshTokens } })
  tokens.more = { refresh_token: 'second-token' }
  const { outcome, fault } = await transport.send(shortMessage)
  assert.equal(outcome, 'refused')
  assert.equal(fault?.stage, 'token')
  assert.match(fault?.message ?? '', /could not be stored/)
  refreshTokens.isFull = false
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.deepEqual(refreshTokens.stored, ['second-token'])
  assert.equal(tokens.requests.length, 1)
})

test('a refresh token that comes while the transport closes is stored', async () => {
  const refreshTokens = new RefreshTokens()
  const transport = await open(withRefreshToken, { mailer: { refreshTokens } })
  tokens.more = { refresh_token: 'second-token' }
  const answer = holdTokens()
  const stop = new AbortController()
  const sending = transport.send(shortMessage, { signal: stop.signal })
  await untilRequested()
  stop.abort()
  assert.equal((await sending).fault?.code, 'cancelled')
  const closing = transport.close()
  answer()
  await closing
  assert.deepEqual(refreshTokens.stored, ['second-token'])
  assert.equal((await transport.send(shortMessage)).fault?.code, 'transport_closed')
})

test('transports with one refresh token, which is valid once, replace it one after another', async () => {
  const query = '&mailbox=shop@example.com&refreshToken=token-0'
  smtp = await startScriptedServer(acceptsTokens(tokens))
  const mailer = createMailer()
  let count = 0
  tokens.respondWith((form) => {
    if (form['refresh_token'] !== `token-${count}`)
      return { status: 400, body: '{"error":"invalid_grant"}' }
    count += 1
    tokens.more = { refresh_token: `token-${count}` }
    return undefined
  })
  const transports = Array.from({ length: 4 }, () => openDsn(dsnOf(query), mailer))
  const results = await Promise.all(transports.map((transport) => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(count, 4)
})

test('a refresh token that another process replaced at the same time is read again', async () => {
  let current = 'first-token'
  const refreshTokens = { find: async () => current, save: async () => undefined }
  const transport = await open(withRefreshToken, { mailer: { refreshTokens } })
  tokens.respondWith((form) => {
    if (form['refresh_token'] !== 'first-token') return undefined
    current = 'second-token'
    return { status: 400, body: '{"error":"invalid_grant"}' }
  })
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(tokens.requests.at(-1)?.['refresh_token'], 'second-token')
})

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')

/** Opens a transport of a service account of Google, whose token endpoint is the test's. */
async function openServiceAccount(): Promise<Transport> {
  smtp = await startScriptedServer(acceptsTokens(tokens))
  const query = `tokenUrl=${encodeURIComponent(tokens.url)}&key=${encodeURIComponent(key)}`
  return openDsn(`gmail+oauth://robot%40project.example@localhost:${smtp.port}?${query}`)
}

test('a service account asks for a token of each mailbox, signed with its key', async () => {
  const transport = await openServiceAccount()
  for (const mailbox of ['a@example.com', 'b@example.com', 'a@example.com'])
    assert.equal((await transport.send(messageFrom(mailbox))).outcome, 'accepted')
  assert.equal(tokens.requests.length, 2)
  for (const [index, subject] of ['a@example.com', 'b@example.com'].entries()) {
    const { assertion = '', grant_type } = tokens.requests[index] ?? {}
    assert.equal(grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    const expected = { issuer: 'robot@project.example', subject, audience: tokens.url }
    const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, expected)
    assert.equal(protectedHeader.alg, 'RS256')
    assert.equal(payload['scope'], 'https://mail.google.com/')
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3600)
  }
})

test('a mailbox that the service account may not act for stops no other one', async () => {
  const transport = await openServiceAccount()
  const body = '{"error":"invalid_grant","error_description":"Invalid email or User ID"}'
  tokens.respondWith(() => (tokens.requests.length === 1 ? { status: 400, body } : undefined))
  const { fault } = await transport.send(messageFrom('no@example.com'))
  assert.deepEqual([fault?.stage, fault?.scope], ['token', 'message'])
  assert.match(fault?.message ?? '', /Invalid email or User ID/)
  assert.match(fault?.hint ?? '', /mailbox/)
  assert.equal((await transport.send(messageFrom('yes@example.com'))).outcome, 'accepted')
})

const usableAnswers = {
  'with a byte order mark': `\ufeff${grant()}`,
  'with empty members': grant({ refresh_token: '', scope: null }),
  'without a useful lifetime': grant({ expires_in: 'soon' }),
  'with a negative lifetime': grant({ expires_in: -1 }),
  'with the lifetime as text': grant({ expires_in: '3599' }),
  'without a type': grant({ token_type: undefined }),
  'with an id token': grant({ id_token: 'none' }),
  'with members that are not read': grant({ id_token: 'x'.repeat(30_000), more: [1] }),
}

for (const [what, body] of Object.entries(usableAnswers))
  test(`an answer ${what} is used`, async () => {
    const transport = await open('&mailbox=shop@example.com')
    tokens.valid.add('the-token')
    tokens.respondWith(() => ({ status: 201, body }))
    const { outcome, fault } = await transport.send(shortMessage)
    assert.equal(outcome, 'accepted', fault?.message)
  })

const faultyAnswers: Record<string, [status: number, body?: string, headers?: object]> = {
  'an answer that is not JSON': [200, '<html>log in</html>'],
  'an answer without a token': [200, '{"token_type":"Bearer"}'],
  'an answer of more than 64 KB': [200, grant() + ' '.repeat(70_000)],
  'a redirect': [302, '', { location: 'http://127.0.0.1:1/' }],
  'an internal error': [503, 'unavailable'],
  'a throttled log-in': [429, '', { 'retry-after': '5' }],
  'an empty answer': [204],
  'a status that does not exist': [700],
  'a token of more than 8 KB': [200, grant({ access_token: 'x'.repeat(30_000) })],
  'a refresh token of more than 8 KB': [200, grant({ refresh_token: '9'.repeat(50_000) })],
  'a refresh token of more than 8 KB in UTF-8': [200, grant({ refresh_token: 'ü'.repeat(5_000) })],
  'a type of more than 8 KB': [200, grant({ token_type: 'x'.repeat(50_000) })],
  'a scope of more than 8 KB': [200, grant({ scope: 'x '.repeat(25_000) })],
  'a token that is a number': [200, grant({ access_token: 1 })],
  'an error with the name of a method': [400, '{"error":"constructor"}'],
  'a long error with line ends': [
    400,
    JSON.stringify({ error: 'x\r\n'.repeat(10_000), error_description: 'a\r\n\u0000b' }),
  ],
}

for (const [what, [status, body = '', headers]] of Object.entries(faultyAnswers))
  test(`${what} of a token endpoint is a temporary fault at the stage "token"`, async () => {
    const transport = await open('&mailbox=shop@example.com')
    tokens.respondWith(() => ({ status, body, headers: { ...headers } }))
    const { outcome, fault, isPermanent } = await transport.send(shortMessage)
    assert.deepEqual([outcome, isPermanent], ['refused', false])
    assert.deepEqual([fault?.stage, fault?.scope], ['token', 'member'])
    assert.ok((fault?.message.length ?? 0) > 20 && (fault?.hint.length ?? 0) > 10)
    assert.doesNotMatch(JSON.stringify(fault), /\\r|\\u0000/)
    assert.ok((fault?.reply?.enhancedCode ?? '').length <= 100)
    assert.equal(smtp.received.length, 0)
  })

test('a token endpoint that cannot be reached is a fault at the stage "token"', async () => {
  await open()
  const { fault } = await openDsn(
    `smtp+oauth://C:S@localhost:${smtp.port}?tokenUrl=http%3A%2F%2F127.0.0.1%3A1%2F`,
  ).send(shortMessage)
  assert.deepEqual([fault?.stage, fault?.code], ['token', 'connection_refused'])
})

test('a token endpoint obeys the outbound policy', async () => {
  const policy = { mode: 'public', allow: ['localhost'] } as const
  const transport = await open('&mailbox=shop@example.com', { mailer: { policy } })
  const { fault } = await transport.send(shortMessage)
  assert.deepEqual([fault?.stage, fault?.code], ['token', 'address_blocked'])
  assert.equal(tokens.requests.length, 0)
})

test('a message that is cancelled while it waits for a token does not cancel the others', async () => {
  const transport = await open('&mailbox=shop@example.com')
  const answer = holdTokens()
  const controller = new AbortController()
  const first = transport.send(shortMessage, { signal: controller.signal })
  const second = transport.send(shortMessage)
  await untilRequested()
  controller.abort()
  assert.equal((await first).fault?.code, 'cancelled')
  answer()
  assert.equal((await second).outcome, 'accepted')
  assert.equal(tokens.requests.length, 1)
})

const testMessage = { from: 'shop@example.com', to: 'jane@example.net', hasTranscript: true }

test('a test has the stage "token" before "auth", and shows neither token nor secret', async () => {
  await open()
  const report = await createMailer().test(dsnOf(), testMessage)
  assert.equal(report.success, true, report.message)
  const stages = report.stages.map(({ stage, outcome }) => `${stage} ${outcome}`)
  assert.deepEqual(stages.slice(stages.indexOf('ehlo ok')), [
    'ehlo ok',
    'token ok',
    'auth ok',
    'sender ok',
    'recipient ok',
    'data ok',
  ])
  assert.match(report.transcript.join('\n'), /POST http:\/\/127\.0\.0\.1:\d+\/token/)
  assertLogins('shop@example.com')
  const text = JSON.stringify(report)
  assert.ok(!text.includes('of-the-test') && !text.includes('S3CR3T'))
  const plain = await createMailer().test('null://null', testMessage)
  assert.ok(plain.stages.every(({ stage }) => stage !== 'token'))
})

for (const [what, secret, part] of [
  ['the secret as a form has it', 'x8Q~R7 a/b+c', /x8Q/],
  ['a secret longer than what is shown of its words', 'S3cr3t-'.repeat(200), /S3cr3t/],
] as const)
  test(`an endpoint that repeats ${what} shows it nowhere`, async () => {
    const transport = await open('', { credentials: `C:${encodeURIComponent(secret)}` })
    tokens.respondWith((form) => {
      const error_description = `No ${new URLSearchParams(form).toString()}`
      return { status: 400, body: JSON.stringify({ error: 'invalid_client', error_description }) }
    })
    const { fault } = await transport.send(messageFrom('shop@example.com'))
    assert.match(fault?.message ?? '', /client_id=C/)
    assert.doesNotMatch(JSON.stringify(fault), part)
  })

test('a server that repeats the token shows it nowhere', async () => {
  const repeat = (line: string) => `535 5.7.8 Not ${loginOf(line).token} nor ${line.split(' ')[2]}`
  const transport = await open('', { server: acceptsTokens(tokens, { auth: repeat }) })
  const result = await transport.send(messageFrom('shop@example.com'))
  const report = await createMailer().test(dsnOf(), testMessage)
  const text = JSON.stringify([result, report])
  assert.match(text, /535 5\.7\.8/)
  const encoded = Buffer.from('of-the-test').toString('base64').slice(2, -4)
  assert.ok(!text.includes('of-the-test') && !text.includes(encoded), text)
})
