import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { addUser } from '../../../../test/callers.ts'
import { GoogleServer, googleClient, googleRefreshToken } from '../../../../test/google-server.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { openTestApp, type TestApp, type TestCaller } from '../../../../test/test-app.ts'

const path = '/api/multipleTransports/oauth/google'
const publicUrl = 'https://mail.example.com'
const callbackPath = '/oauth/google/callback'
const redirectUri = `${publicUrl}${callbackPath}`
const google = await GoogleServer.start([redirectUri])
after(() => google.close())
beforeEach(() => {
  google.behavior = {}
  google.consents.length = 0
  google.exchanges.length = 0
})

const minuteMs = 60_000

interface Asking {
  as?: TestCaller
  body?: object
}

/** Starts a sign-in; returns the query that Google sends the browser back with. */
async function consent(service: TestApp, { as, body = {} }: Asking = {}): Promise<string> {
  const asked = { clientId: googleClient.clientId, ...body }
  const answer = await service.askFor('POST', path, asked, as === undefined ? {} : { as })
  const { status, headers } = await fetch(answer.authorizationUrl, { redirect: 'manual' })
  assert.equal(status, 302)
  const target = headers.get('location') ?? ''
  assert.ok(target.startsWith(`${redirectUri}?`), target)
  return new URL(target).search
}

function exchange(service: TestApp, response: string, { as, body = {} }: Asking = {}) {
  const asked = { ...googleClient, response, ...body }
  return service.ask('POST', `${path}/token`, asked, as === undefined ? {} : { as })
}

function callBack(service: TestApp, query: string) {
  return service.ask('GET', `${callbackPath}${query}`, undefined, { as: 'anonymous' })
}

const addEditor = async (service: TestApp) =>
  (await addUser(service, { multipleTransports: ['view', 'edit'] })).as

const settings = { config: { publicUrl }, googleEndpoints: google.endpoints }

onMailyard('a sign-in with Google', settings, (shared) => {
  test('ends with the refresh token in the answer to the caller, and nowhere else', async () => {
    const { service } = shared
    const query = await consent(service, { body: { mailbox: 'shop@example.com' } })
    assert.equal(google.consents[0]?.get('login_hint'), 'shop@example.com')
    const page = await callBack(service, query)
    assert.equal(page.status, 200)
    const { status, body, headers } = await exchange(service, query)
    assert.deepEqual([status, body], [200, { refreshToken: googleRefreshToken, warnings: [] }])
    assert.equal(headers['cache-control'], 'no-store')
    const { clientSecret } = googleClient
    const code = google.exchanges[0]?.get('code') ?? 'none'
    for (const secret of [googleRefreshToken, clientSecret, 'ya29.', code])
      assert.ok(!service.logged.some((line) => line.includes(secret)), secret)
    for (const secret of [googleRefreshToken, clientSecret, 'ya29.'])
      assert.ok(!`${query}${page.text}`.includes(secret))
  })

  test('is finished by another process than the one that started it', async () => {
    const other = await shared.openAnother()
    const query = await consent(shared.service)
    assert.equal((await callBack(other, query)).status, 200)
    const { body } = await exchange(other, query)
    assert.equal(body.refreshToken, googleRefreshToken)
  })

  test('is finished only by the caller who started it, with the same client', async () => {
    const { service } = shared
    const [owner, other] = [await addEditor(service), await addEditor(service)]
    const query = await consent(service, { as: owner })
    const wrong = [
      await exchange(service, query, { as: other }),
      await exchange(service, query),
      await exchange(service, query, { as: owner, body: { clientId: 'another' } }),
    ]
    for (const { status, body } of wrong) {
      assert.equal(status, 400)
      assert.match(body.error, /was not started by you with this client/)
    }
    assert.equal(google.exchanges.length, 0)
    assert.equal((await exchange(service, query, { as: owner })).status, 200)
  })

  test('expires after ten minutes', async () => {
    const { service, clock } = shared
    const [early, late] = [await consent(service), await consent(service)]
    clock.advance(9 * minuteMs)
    assert.equal((await exchange(service, early)).status, 200)
    clock.advance(minuteMs)
    assert.equal((await exchange(service, late)).status, 400)
    assert.equal((await callBack(service, late)).status, 400)
  })

  test('is answered a plain page where the state is missing, changed, or repeated', async () => {
    const { service } = shared
    const state = new URLSearchParams(await consent(service)).get('state') ?? ''
    const changed = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`
    const queries = ['', '?code=x', '?state=', `?state=${changed}&code=x`]
    queries.push(`?state=00000000.${state.slice(9)}`, `?state=${state}&state=${state}`)
    queries.push(`?state=<script>&code=${'x'.repeat(9_000)}`)
    for (const query of queries) {
      const { status, text, headers } = await callBack(service, query)
      assert.equal(status, 400, query)
      assert.match(String(headers['content-type']), /^text\/html/)
      assert.match(text, /Start it again in Mailyard/)
      assert.doesNotMatch(`${text}${String(headers['content-security-policy'])}`, /script/)
    }
    const { status, body } = await exchange(service, `?state=${changed}&code=x`)
    assert.deepEqual([status, body.success], [400, false])
  })

  test('comes back to a page that runs its own script only', async () => {
    const { text, headers } = await callBack(shared.service, await consent(shared.service))
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'.*script-src 'sha256-[^' ]+';/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    assert.equal(text.match(/<script>/g)?.length, 1)
  })

  test('passes on why Google refuses, without secrets', async () => {
    const { service } = shared
    google.behavior = { isDenied: true }
    const denied = await exchange(service, await consent(service))
    assert.deepEqual([denied.status, denied.body.success], [400, false])
    assert.match(denied.body.error, /access_denied/)
    google.behavior = {}
    const body = { clientSecret: 'GOCSPX-wrong' }
    const wrong = await exchange(service, await consent(service), { body })
    assert.equal(wrong.status, 400)
    assert.match(wrong.body.error, /invalid_client.*"Web application"/)
    assert.doesNotMatch(wrong.text, /GOCSPX/)
    const masked = { clientSecret: '********' }
    const hidden = await exchange(service, await consent(service), { body: masked })
    assert.deepEqual(hidden.body.details, {
      clientSecret: ['is masked. Enter the secret itself'],
    })
    google.behavior = { answerToken: (response) => response.writeHead(500).end('broken') }
    const broken = await exchange(service, await consent(service))
    assert.equal(broken.status, 503)
    assert.match(broken.body.error, /answered 500/)
  })
})

test('the redirect URI is there for https and for loopback, and the sign-in says what to do without it', async () => {
  const urls = {
    'https://mail.example.com/mailyard': `https://mail.example.com/mailyard${callbackPath}`,
    'http://localhost:8080': `http://localhost:8080${callbackPath}`,
    'http://127.0.0.1:8080': `http://127.0.0.1:8080${callbackPath}`,
    'http://mail.example.com': null,
    '': null,
  }
  for (const [url, expected] of Object.entries(urls)) {
    const service = await openTestApp({ config: url === '' ? {} : { publicUrl: url } })
    try {
      assert.deepEqual((await service.ask('GET', path)).body, { redirectUri: expected })
      const { status, body } = await service.ask('POST', path, { clientId: 'x' })
      assert.equal(status, expected === null ? 400 : 200, url)
      if (expected === null) assert.match(body.error, /MAILYARD_PUBLIC_URL.*https/)
    } finally {
      await service.close()
    }
  }
})

test('the token endpoint is asked only where the outbound policy allows it', async () => {
  const config = { publicUrl, outboundPolicy: 'public' as const }
  const service = await openTestApp({ config, googleEndpoints: google.endpoints })
  try {
    const { status, body } = await exchange(service, await consent(service))
    assert.equal(status, 503)
    assert.match(body.error, /MAILYARD_OUTBOUND_ALLOW/)
    assert.equal(google.exchanges.length, 0)
  } finally {
    await service.close()
  }
})
