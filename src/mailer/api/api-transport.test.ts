import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMailer } from '../create-mailer.ts'
import type { Message } from '../message/message.ts'
import { type ApiServer, startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import { rejected, shortMessage } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'

const authority = createAuthority()
const mailer = createMailer({
  certificates: [authority.cert],
  connectionsMax: 3,
  clock: { now: () => Date.parse('2026-01-31T12:00:00Z') },
})
const success = { status: 200, body: '{"ErrorCode":0,"MessageID":"1"}' }
let server: ApiServer
before(async () => {
  server = await startApiServer(authority.issue({ names: ['localhost'] }))
})
after(() => server.close())

test('a message that cannot be taken apart is refused for good, and the transport goes on', async () => {
  const depth = 300
  const parts = Array.from(
    { length: depth },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
  )
  const deep: Message = { ...shortMessage, raw: Buffer.from(parts.join('')) }
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  const result = await transport.send(deep)
  assert.equal(result.outcome, 'refused')
  assert.equal(result.isPermanent, true)
  server.answerWith(success)
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  await transport.close()
})

test('more recipients or bytes than the provider takes are refused before they are sent', async () => {
  server.requests.length = 0
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  const to = Array.from({ length: 51 }, (_, index) => `u${index}@x.net`)
  const many = await transport.send({ ...shortMessage, envelope: { from: 'a@x.net', to } })
  assert.equal(many.fault?.code, 'too_many_recipients')
  const large = await transport.send({ ...shortMessage, raw: Buffer.alloc(10 * 1024 * 1024 + 1) })
  assert.equal(large.fault?.code, 'too_large')
  assert.equal(server.requests.length, 0)
  await transport.close()
})

test('a recipient that a call to several was refused for is not known, so the message is to blame', async () => {
  server.answerWith({ status: 422, body: '{"ErrorCode":406,"Message":"Inactive recipient"}' })
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  const one = await transport.send(shortMessage)
  const envelope = { ...shortMessage.envelope, to: ['jane@example.net', 'carl@example.net'] }
  const two = await transport.send({ ...shortMessage, envelope })
  assert.deepEqual([one.fault?.scope, two.fault?.scope], ['recipient', 'message'])
  assert.equal(two.fault?.code, 'recipient_refused')
  await transport.close()
})

test('messages go out side by side, over no more connections than allowed', async () => {
  server.answerWith(success)
  const opened = server.connections()
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  const results = await Promise.all(Array.from({ length: 30 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.ok(server.connections() - opened <= 3)
  await transport.close()
  assert.equal((await transport.send(shortMessage)).fault?.code, 'transport_closed')
})

test('a Retry-After that is a date is read as one', async () => {
  server.answerWith({
    status: 429,
    headers: { 'retry-after': 'Sat, 31 Jan 2026 12:00:30 GMT' },
    body: '',
  })
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  assert.equal((await transport.send(shortMessage)).retryAfterMs, 30_000)
  await transport.close()
})

test('a request leaves once the message is ready, and not where it is not to', async () => {
  server.answerWith(success)
  server.requests.length = 0
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const sent = transport.send(shortMessage, { ready })
  await new Promise((passed) => setTimeout(passed, 50))
  assert.equal(server.requests.length, 0)
  resolve()
  assert.equal((await sent).outcome, 'accepted')
  const refused = await transport.send(shortMessage, { ready: rejected('full') })
  assert.deepEqual([refused.outcome, refused.fault?.code], ['refused', 'cancelled'])
  assert.equal(server.requests.length, 1)
  await transport.close()
})

test('a send that is cancelled after the request left is uncertain', async () => {
  server.answerWith({ fault: 'hang' })
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  server.requests.length = 0
  const controller = new AbortController()
  const sent = transport.send(shortMessage, { signal: controller.signal })
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  controller.abort()
  const result = await sent
  assert.equal(result.outcome, 'uncertain')
  assert.equal(result.fault?.code, 'cancelled')
  await transport.close()
})

test('a provider that is unwell or throttled is passed by in a failover, one that may have the message is not', async () => {
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
    server.answerWith({ status, body: '{"ErrorCode":300,"Message":"no"}' })
    other.received.length = 0
    const dsn = `failover(postmark+api://T@${server.host} smtp://localhost:${other.port})`
    const transport = mailer.open(dsn)
    const result = await transport.send(shortMessage)
    assert.equal(other.received.length, delivered, String(status))
    assert.equal(result.outcome === 'accepted', delivered === 1)
    if (status !== 422 && delivered === 0) assert.equal(result.outcome, 'uncertain', String(status))
    await transport.close()
  }
  await other.close()
})
