import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
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
let server: ApiServer
let dsn: string
before(async () => {
  server = await startApiServer(authority.issue({ names: ['localhost'] }))
  dsn = `microsoftgraph+api://APP:S3CR3T@${server.host}?tenantId=contoso.onmicrosoft.com&authEndpoint=${server.host}`
})
after(() => server.close())

test('microsoftgraph: one token serves many messages, and not when it is about to expire', async () => {
  let now = Date.parse('2026-01-31T12:00:00Z')
  const mailer = createMailer({ certificates: [authority.cert], clock: clockAt(() => now) })
  server.respondWith(({ path }) => (path === tokenPath ? granted : { status: 202 }))
  const transport = mailer.open(dsn)
  const tokensAfter = async () => {
    assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    return server.requests.filter(({ path }) => path === tokenPath).length
  }
  assert.equal(await tokensAfter(), 1)
  assert.equal(await tokensAfter(), 1)
  now += 50 * 60_000
  assert.equal(await tokensAfter(), 1)
  now += 6 * 60_000
  assert.equal(await tokensAfter(), 2)
  await transport.close()
})

test('microsoftgraph: messages that go out side by side share one token', async () => {
  const mailer = createMailer({ certificates: [authority.cert] })
  server.requests.length = 0
  server.respondWith(({ path }) => (path === tokenPath ? granted : { status: 202 }))
  const transport = mailer.open(dsn)
  const results = await Promise.all(Array.from({ length: 8 }, () => transport.send(shortMessage)))
  assert.ok(results.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(server.requests.filter(({ path }) => path === tokenPath).length, 1)
  await transport.close()
})

test('microsoftgraph: cancelling a message that waits for the token does not cancel the others', async () => {
  const mailer = createMailer({ certificates: [authority.cert] })
  server.requests.length = 0
  const answer = Promise.withResolvers<typeof granted>()
  server.respondWith(({ path }) => (path === tokenPath ? answer.promise : { status: 202 }))
  const transport = mailer.open(dsn)
  const controller = new AbortController()
  const first = transport.send(shortMessage, { signal: controller.signal })
  const second = transport.send(shortMessage)
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  controller.abort()
  const cancelled = await first
  assert.equal(cancelled.fault?.code, 'cancelled')
  assert.equal(cancelled.outcome, 'refused')
  answer.resolve(granted)
  assert.equal((await second).outcome, 'accepted')
  await transport.close()
})

test('microsoftgraph: a message whose token is refused is sent once more, with another token', async () => {
  const mailer = createMailer({ certificates: [authority.cert] })
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

test('microsoftgraph: a test shows the dialogue without the token', async () => {
  const mailer = createMailer({ certificates: [authority.cert] })
  server.respondWith(({ path }) => (path === tokenPath ? granted : { status: 202 }))
  const report = await mailer.test(dsn, {
    from: 'sender@example.com',
    to: 'jane@example.net',
    hasTranscript: true,
  })
  assert.equal(report.success, true, report.message)
  assert.ok(report.transcript.some((line) => line.includes(tokenPath)))
  assert.ok(!JSON.stringify(report).includes('T0K3N'))
})

// https://learn.microsoft.com/entra/identity-platform/reference-error-codes
const refusedTokens = [
  {
    name: 'a wrong client secret is a fault of the member, with what to check',
    response: {
      status: 401,
      body: JSON.stringify({
        error: 'invalid_client',
        error_description:
          'AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value. Trace ID: 1 Correlation ID: 2',
      }),
    },
    code: 'credentials_refused',
    says: /^Microsoft Entra ID does not accept the credentials: AADSTS7000215: .* secret value\.$/,
    hint: /not its id/,
  },
  {
    name: 'a wrong tenant is a fault of the member',
    response: {
      status: 400,
      body: JSON.stringify({
        error: 'invalid_request',
        error_description: "AADSTS90002: Tenant 'x' not found.\r\nTrace ID: 1",
      }),
    },
    code: 'credentials_refused',
    says: /AADSTS90002: Tenant 'x' not found\.$/,
    hint: /tenantId/,
  },
  {
    name: 'a throttled log-in is a throttle',
    response: { status: 429, headers: { 'retry-after': '5' }, body: '' },
    code: 'throttled',
    says: /no token \(HTTP status 429\)/,
    hint: /later/,
  },
  {
    name: 'a page in the place of a token is a fault of the log-in, and nothing was sent',
    response: { status: 200, body: '<html>log in</html>' },
    code: 'server_fault',
    says: /no token \(HTTP status 200\)/,
    hint: /later/,
  },
]

test('microsoftgraph: a token that no header can hold is a fault, and nothing was sent', async () => {
  const mailer = createMailer({ certificates: [authority.cert] })
  server.requests.length = 0
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

for (const { name, response, code, says, hint } of refusedTokens)
  test(`microsoftgraph: ${name}`, async () => {
    const mailer = createMailer({ certificates: [authority.cert] })
    server.requests.length = 0
    server.respondWith(response)
    const transport = mailer.open(dsn)
    const { outcome, fault, isPermanent, retryAfterMs } = await transport.send(shortMessage)
    await transport.close()
    assert.equal(outcome, 'refused')
    assert.equal(isPermanent, false)
    assert.equal(fault?.scope, 'member')
    assert.equal(fault?.code, code)
    assert.match(fault?.message ?? '', says)
    assert.match(fault?.hint ?? '', hint)
    assert.equal(retryAfterMs, code === 'throttled' ? 5000 : null)
    assert.ok(server.requests.every(({ path }) => path === tokenPath))
  })
