import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { GoogleServer, googleClient, googleRefreshToken } from '../../../../test/google-server.ts'
import { type CodeExchange, createAuthorizationUrl, exchangeCode } from './google-consent.ts'

const google = await GoogleServer.start()
after(() => google.close())
beforeEach(() => {
  google.behavior = {}
})

const { clientId, clientSecret } = googleClient
const request = {
  endpoints: google.endpoints,
  clientId,
  redirectUri: 'http://127.0.0.1:1',
  state: 'a state',
  codeVerifier: 'v'.repeat(43),
}

/** Gives the consent, and exchanges its answer with these changes. */
async function signIn(changes: Partial<CodeExchange> = {}) {
  const consent = await fetch(await createAuthorizationUrl(request), { redirect: 'manual' })
  const response = new URL(consent.headers.get('location') ?? '').searchParams
  return exchangeCode({ ...request, clientSecret, response, fetch, ...changes })
}

const refused = (message: RegExp) => ({ kind: 'invalid', message })

test('the code is exchanged with the verifier, the client and the redirect URI of the consent', async () => {
  assert.deepEqual(await signIn(), { refreshToken: googleRefreshToken, warnings: [] })
  await assert.rejects(signIn({ codeVerifier: 'w'.repeat(43) }), refused(/invalid_grant/))
  const redirectUri = 'https://a.example/b'
  await assert.rejects(
    signIn({ redirectUri }),
    refused(/Add https:\/\/a\.example\/b.*"Web application"/),
  )
})

test('an answer with another state or issuer, without a code, or with two, is not exchanged', async () => {
  google.exchanges.length = 0
  const { issuer } = google.endpoints
  const queries = [
    '',
    'code=x',
    'code=x&state=other',
    'state=a+state',
    'code=x&state=a+state&iss=https://evil.example',
    'code=x&code=y&state=a+state',
    `code=x&state=a+state&state=other&iss=${issuer}`,
    'access_token=x&id_token=y&state=a+state',
  ]
  for (const query of queries)
    await assert.rejects(
      signIn({ response: new URLSearchParams(query) }),
      refused(/does not belong to this sign-in/),
      query,
    )
  assert.equal(google.exchanges.length, 0)
  google.behavior = { issuer: undefined }
  assert.equal((await signIn()).refreshToken, googleRefreshToken)
})

const json = { 'content-type': 'application/json' }
const answers: Record<string, (response: ServerResponse) => void> = {
  'a redirect': (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'an error of the server': (response) => response.writeHead(503, json).end('{"error":"x"}'),
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  'JSON that is cut': (response) =>
    response.writeHead(200, json).end('{"refresh_token":"1//secret'),
  'an access token of another type': (response) =>
    response
      .writeHead(200, json)
      .end('{"access_token":"secret","refresh_token":"1//secret","token_type":"mac"}'),
}
for (const [name, answerToken] of Object.entries(answers)) {
  test(`a token endpoint that answers ${name} is named, and nothing of its answer is shown or logged`, async () => {
    google.behavior = { answerToken }
    await assert.rejects(signIn(), (error: Error & { kind?: string }) => {
      assert.equal(error.kind, 'upstream')
      assert.match(error.message, /^The token endpoint 127\.0\.0\.1:\d+ answered/)
      assert.equal(error.cause, undefined)
      return true
    })
  })
}
