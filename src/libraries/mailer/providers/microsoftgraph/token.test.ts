import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createMailer } from '../../mailer.ts'
import { type ApiServer, startApiServer } from '../../testing/api-server.case.test.ts'
import { createAuthority } from '../../testing/certificates.case.test.ts'
import { shortMessage } from '../../testing/sample-message.case.test.ts'

const tokenPath = '/contoso.onmicrosoft.com/oauth2/v2.0/token'
const granted = {
  status: 200,
  body: JSON.stringify({ expires_in: 3599, access_token: 'eyJ0eXAi.T0K3N.sig' }),
}
const revoked = {
  status: 401,
  body: JSON.stringify({ error: { code: 'InvalidAuthenticationToken', message: 'revoked' } }),
}
const authority = createAuthority()
const mailer = createMailer({ certificates: [authority.cert] })
let server: ApiServer
let dsn: string
before(async () => {
  server = await startApiServer(authority.issue({ names: ['localhost'] }))
  dsn = `microsoftgraph+api://APP:S3CR3T@${server.host}?tenantId=contoso.onmicrosoft.com&authEndpoint=${server.host}`
})
beforeEach(() => {
  server.requests.length = 0
})
after(() => server.close())

test('microsoftgraph: messages that go out side by side share one token', async () => {
  server.respondWith(({ path }) => (path === tokenPath ? granted : { status: 202 }))
  const transport = mailer.open(dsn)
  const results = await Promise.all(Array.from({ length: 8 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(server.requests.filter(({ path }) => path === tokenPath).length, 1)
  await transport.close()
})

test('microsoftgraph: a message whose token is refused is sent once more, with another token', async () => {
  const transport = mailer.open(dsn)
  let tokens = 0
  server.respondWith(({ path }) => {
    if (path === tokenPath) {
      tokens += 1
      return granted
    }
    return tokens < 2 ? revoked : { status: 202 }
  })
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.equal(tokens, 2)
  server.respondWith(({ path }) => (path === tokenPath ? granted : revoked))
  const { outcome, fault } = await transport.send(shortMessage)
  assert.equal(outcome, 'refused')
  assert.equal(fault?.code, 'credentials_refused')
  await transport.close()
})

test('microsoftgraph: a token that no header can hold is a fault, and nothing was sent', async () => {
  server.respondWith({
    status: 200,
    body: JSON.stringify({ access_token: 'a\r\nb', expires_in: 9 }),
  })
  const transport = mailer.open(dsn)
  const { outcome, fault } = await transport.send(shortMessage)
  await transport.close()
  assert.equal(outcome, 'refused')
  assert.equal(fault?.scope, 'member')
  assert.ok(server.requests.every(({ path }) => path === tokenPath))
})

/** Refused requests for a token, beside those that every OAuth transport reads. */
for (const [what, response, code, hint] of [
  [
    'a wrong client secret',
    {
      status: 401,
      body: '{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret"}',
    },
    'credentials_refused',
    /not its id/,
  ],
  [
    'a throttled log-in',
    { status: 429, headers: { 'retry-after': '5' }, body: '' },
    'throttled',
    /later/,
  ],
] as const)
  test(`microsoftgraph: ${what} is a fault of the member`, async () => {
    server.respondWith(response)
    const transport = mailer.open(dsn)
    const { outcome, fault, isPermanent, retryAfterMs } = await transport.send(shortMessage)
    await transport.close()
    assert.deepEqual([outcome, fault?.code, fault?.scope], ['refused', code, 'member'])
    assert.equal(isPermanent, false)
    assert.match(fault?.hint ?? '', hint)
    assert.equal(retryAfterMs, code === 'throttled' ? 5000 : null)
    assert.ok(server.requests.every(({ path }) => path === tokenPath))
  })
