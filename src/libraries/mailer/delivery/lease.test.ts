import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMailer } from '../mailer.ts'
import { type ApiServer, startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import { shortMessage } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'
import type { DeliveryResult } from './delivery-result.ts'

const authority = createAuthority()
const mailer = createMailer({
  certificates: [authority.cert],
  capture: async () => assert.fail('it was captured'),
  command: ['/bin/false'],
})
let server: ApiServer
before(async () => {
  server = await startApiServer(authority.issue({ names: ['localhost'] }))
})
after(() => server.close())

function assertNotSent(result: DeliveryResult): void {
  assert.deepEqual(
    [result.outcome, result.fault?.code, result.fault?.scope, result.isRetrySafe],
    ['refused', 'lease_expired', 'message', true],
  )
  assert.equal(result.isPermanent, false)
}

for (const bytes of [100, 500_000])
  test(`a message of ${bytes} bytes is not sent over SMTP when the lease ends before its last byte`, async () => {
    const sink = await startScriptedServer({})
    const transport = mailer.open(`smtp://127.0.0.1:${sink.port}`)
    const message = { ...shortMessage, raw: Buffer.alloc(bytes, 'line\r\n') }
    let hasReached = false
    const isLeaseValid = () => {
      hasReached = sink.commands.includes('DATA')
      return false
    }
    assertNotSent(await transport.send(message, { isLeaseValid }))
    assert.equal(hasReached, true, 'it is asked after the reply to DATA')
    assert.equal((await transport.send(message)).outcome, 'accepted')
    assert.equal(sink.received.length, 1)
    await transport.close()
    await sink.close()
  })

test('a request is not sent when the lease has ended, and the next one is', async () => {
  const transport = mailer.open(`postmark+api://T@${server.host}`)
  server.respondWith({ status: 200, body: '{"ErrorCode":0,"MessageID":"1"}' })
  server.requests.length = 0
  assertNotSent(await transport.send(shortMessage, { isLeaseValid: () => false }))
  assert.equal(server.requests.length, 0)
  const next = await transport.send(shortMessage, { isLeaseValid: () => true })
  assert.equal(next.outcome, 'accepted')
  assert.equal(server.requests.length, 1)
  await transport.close()
})

for (const dsn of ['sendmail://default', 'inbox://local', 'null://null'])
  test(`${dsn} does not take a message when the lease has ended`, async () => {
    assertNotSent(await mailer.open(dsn).send(shortMessage, { isLeaseValid: () => false }))
  })

test('a list does not try its next member when the lease has ended', async () => {
  const asked: boolean[] = []
  const isLeaseValid = () => asked.push(true) === 0
  const list = mailer.open('failover(null://null null://null)')
  assertNotSent(await list.send(shortMessage, { isLeaseValid }))
  assert.equal(asked.length, 1)
})

const throws = () => {
  throw new SyntaxError('the secret is S3CR3T')
}

test('an unexpected error before the last byte is a fault of the member, without its words; later it is thrown', async () => {
  const sink = await startScriptedServer({})
  const failing = createMailer({ dkim: { find: throws }, capture: throws })
  const transport = failing.open(`smtp://127.0.0.1:${sink.port}`)
  const raw = Buffer.from('From: a@example.com\r\n\r\nHello\r\n')
  const result = await transport.send({ ...shortMessage, raw })
  assert.deepEqual(
    [result.outcome, result.isPermanent, result.fault?.scope, sink.received.length],
    ['refused', false, 'member', 0],
  )
  const report = await failing.test(`smtp://127.0.0.1:${sink.port}`, {
    from: 'a@example.com',
    to: 'b@example.net',
  })
  assert.equal(report.success, false)
  assert.doesNotMatch(JSON.stringify([result, report]), /S3CR3T/)
  await assert.rejects(failing.open('inbox://local').send(shortMessage), SyntaxError)
  await transport.close()
  await sink.close()
})
