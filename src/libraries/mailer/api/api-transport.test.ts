import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import type { Transport } from '../delivery/transport.ts'
import { createMailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'
import { type ApiServer, startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import { messageTo, rejected, sendOnce, shortMessage } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'
import { postForm } from './form.ts'

const authority = createAuthority()
const mailer = createMailer({
  certificates: [authority.cert],
  connectionsMax: 3,
  clock: clockAt(Date.parse('2026-01-31T12:00:00Z')),
})
const success = { status: 200, body: '{"ErrorCode":0,"MessageID":"1"}' }
let server: ApiServer
let transport: Transport
before(async () => {
  server = await startApiServer(authority.issue({ names: ['localhost'] }))
})
beforeEach(() => {
  server.requests.length = 0
  transport = mailer.open(`postmark+api://T@${server.host}`)
})
afterEach(() => transport.close())
after(() => server.close())

test('a message that cannot be parsed is refused permanently, and the transport still works', async () => {
  const depth = 300
  const parts = Array.from(
    { length: depth },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
  )
  const deep: Message = { ...shortMessage, raw: Buffer.from(parts.join('')) }
  const result = await transport.send(deep)
  assert.equal(result.outcome, 'refused')
  assert.equal(result.isPermanent, true)
  server.respondWith(success)
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
})

test('a message over the limits of the provider is refused before it is sent', async () => {
  const addresses = Array.from({ length: 51 }, (_, index) => `u${index}@x.net`)
  const many = await transport.send(messageTo(...addresses))
  assert.equal(many.fault?.code, 'too_many_recipients')
  const large = await transport.send({ ...shortMessage, raw: Buffer.alloc(10 * 1024 * 1024 + 1) })
  assert.equal(large.fault?.code, 'too_large')
  assert.equal(server.requests.length, 0)
})

test('a recipient refusal of a call with several recipients is a fault of the message', async () => {
  server.respondWith({ status: 422, body: '{"ErrorCode":406,"Message":"Inactive recipient"}' })
  const one = await transport.send(shortMessage)
  const two = await transport.send(messageTo('jane@example.net', 'carl@example.net'))
  assert.deepEqual([one.fault?.scope, two.fault?.scope], ['recipient', 'message'])
  assert.equal(two.fault?.code, 'recipient_refused')
})

test('messages are sent concurrently, over no more connections than allowed', async () => {
  server.respondWith(success)
  const opened = server.connections()
  const results = await Promise.all(Array.from({ length: 30 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.ok(server.connections() - opened <= 3)
  await transport.close()
  assert.equal((await transport.send(shortMessage)).fault?.code, 'transport_closed')
})

test('consecutive messages use one connection', async () => {
  server.respondWith(success)
  const opened = server.connections()
  for (let index = 0; index < 3; index += 1)
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(server.connections(), opened + 1)
})

test('a redirect is not followed', async () => {
  server.respondWith({ status: 302, headers: { location: `https://${server.host}/x` } })
  assert.equal((await transport.send(shortMessage)).fault?.code, 'redirected')
  assert.ok(server.requests.every(({ path }) => path !== '/x'))
})

for (const [fault, code] of [
  ['close', 'connection_closed'],
  ['hang', 'stalled'],
] as const)
  test(`without a response (${fault}) the delivery is uncertain`, async () => {
    server.respondWith({ fault })
    const options = { certificates: [authority.cert], timeouts: { requestMs: 1500 } }
    const result = await sendOnce(`postmark+api://T@${server.host}`, options)
    assert.deepEqual([result.outcome, result.fault?.code], ['uncertain', code])
    assert.equal(result.isRetrySafe, false)
  })

test('a Retry-After with a date is read', async () => {
  server.respondWith({
    status: 429,
    headers: { 'retry-after': 'Sat, 31 Jan 2026 12:00:30 GMT' },
    body: '',
  })
  assert.equal((await transport.send(shortMessage)).retryAfterMs, 30_000)
})

test('a request is sent after the message is ready, and not when the ready promise rejects', async () => {
  server.respondWith(success)
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const sent = transport.send(shortMessage, { ready })
  await new Promise((passed) => setTimeout(passed, 50))
  assert.equal(server.requests.length, 0)
  resolve()
  assert.equal((await sent).outcome, 'accepted')
  const refused = await transport.send(shortMessage, { ready: rejected('full') })
  assert.deepEqual([refused.outcome, refused.fault?.code], ['refused', 'cancelled'])
  assert.equal(server.requests.length, 1)
})

test('a send that is cancelled after the request was sent is uncertain', async () => {
  server.respondWith({ fault: 'hang' })
  const controller = new AbortController()
  const sent = transport.send(shortMessage, { signal: controller.signal })
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  controller.abort()
  const result = await sent
  assert.equal(result.outcome, 'uncertain')
  assert.equal(result.fault?.code, 'cancelled')
})

test('a failover continues after a fault or throttling of a provider, but not when it may have the message', async () => {
  const other = await startScriptedServer()
  for (const [status, delivered] of [
    [500, 1],
    [503, 1],
    [429, 1],
    [401, 1],
    [422, 0],
    [521, 1],
    ...[502, 504, 520, 522, 524].map((status) => [status, 0] as const),
  ] as const) {
    server.respondWith({ status, body: '{"ErrorCode":300,"Message":"no"}' })
    other.received.length = 0
    const dsn = `failover(postmark+api://T@${server.host} smtp://localhost:${other.port})`
    const list = mailer.open(dsn)
    const result = await list.send(shortMessage)
    assert.equal(other.received.length, delivered, String(status))
    assert.equal(result.outcome === 'accepted', delivered === 1)
    if (status !== 422 && delivered === 0) assert.equal(result.outcome, 'uncertain', String(status))
    await list.close()
  }
  await other.close()
})

test('an independent parser reads a form correctly, including bytes and unusual names', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  const request = postForm(
    'https://api.example.com/send',
    { authorization: 'App K' },
    {
      boundary: '0b1c',
      parts: [
        { name: 'to', value: 'jane@example.net' },
        { name: 'to', value: 'Jürgen <j@example.net>' },
        { name: 'file', value: bytes, filename: 'a "b"\r\n.bin', contentType: 'image/gif' },
      ],
    },
  )
  assert.equal(request.method, 'POST')
  assert.equal(request.headers['authorization'], 'App K')
  const { headers, body } = request
  const form = await new Response(Buffer.from(body), { headers: { ...headers } }).formData()
  assert.deepEqual(form.getAll('to'), ['jane@example.net', 'Jürgen <j@example.net>'])
  const file = form.get('file')
  assert.ok(file instanceof File)
  assert.equal(file.type, 'image/gif')
  assert.equal(file.name, 'a "b"\r\n.bin')
  assert.ok(Buffer.from(body).includes('filename="a %22b%22%0D%0A.bin"'), 'one line')
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
})
