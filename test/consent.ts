import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { TestClient } from './callers.ts'
import type { TestAnswer, TestApp, TestBody } from './test-app.ts'

/** Where the codes of test clients go. */
export const callback = 'https://app.example.com/callback'

/** What an application asks of the consent page. */
export type ConsentQuery = Record<string, string>

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A PKCE verifier and its S256 challenge (RFC 7636). */
export function createChallenge(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** What a client asks with. */
export function consentQuery(client: TestClient, more: ConsentQuery = {}): ConsentQuery {
  return {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: callback,
    state: 'the state',
    ...more,
  }
}

/** A browser, as far as the consent page is concerned: it keeps a cookie and sends forms. */
export class ConsentBrowser {
  readonly #service: TestApp
  cookie: string | undefined

  constructor(service: TestApp) {
    this.#service = service
  }

  open(query: ConsentQuery): Promise<TestAnswer> {
    return this.#ask('GET', `/oauth/v2/authorize?${new URLSearchParams(query).toString()}`)
  }

  /** Sends the log-in form. */
  async logIn(query: ConsentQuery, username: string, password: string): Promise<TestAnswer> {
    const search = new URLSearchParams(query).toString()
    const fields = { username, password, return: search }
    const answer = await this.post('/oauth/v2/authorize_login', fields)
    const set = [answer.headers['set-cookie'] ?? []].flat()[0] as string | undefined
    if (set !== undefined) this.cookie = set.split(';')[0]
    return answer
  }

  /** Sends the consent form as the page has it, with one of its buttons. */
  async decide(query: ConsentQuery, button: ConsentQuery): Promise<TestAnswer> {
    const page = await this.open(query)
    assert.equal(page.status, 200, page.text)
    return this.send({ ...readHiddenFields(page.text), ...button })
  }

  /** Sends any fields to the consent form. */
  send(fields: ConsentQuery): Promise<TestAnswer> {
    return this.post('/oauth/v2/authorize', fields)
  }

  /** Sends a form to any address. */
  post(
    url: string,
    fields: ConsentQuery,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> {
    return this.#ask('POST', url, new URLSearchParams(fields).toString(), { ...form, ...headers })
  }

  #ask(method: 'GET' | 'POST', url: string, body?: string, headers = {}): Promise<TestAnswer> {
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie }
    return this.#service.ask(method, url, body, {
      as: 'anonymous',
      headers: { ...headers, ...cookie },
    })
  }
}

/** The hidden fields of the form on a page. */
export function readHiddenFields(html: string): ConsentQuery {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [unescapeHtml(name), unescapeHtml(value)]),
  )
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Where the browser is sent back to, and with what. */
export function readRedirect(answer: TestAnswer): { target: string; values: ConsentQuery } {
  assert.equal(answer.status, 303, answer.text)
  const url = new URL(String(answer.headers['location']))
  return { target: `${url.origin}${url.pathname}`, values: Object.fromEntries(url.searchParams) }
}

/** A user logs in and allows the client what it asks; returns the code. */
export async function getCode(
  service: TestApp,
  client: TestClient,
  user: { username: string; password: string },
  more: ConsentQuery = {},
): Promise<string> {
  const browser = new ConsentBrowser(service)
  const query = consentQuery(client, more)
  await browser.logIn(query, user.username, user.password)
  const answer = await browser.decide(query, { allowed: 'true' })
  const { values } = readRedirect(answer)
  assert.notEqual(values['code'], undefined, String(answer.headers['location']))
  return values['code'] ?? ''
}

/** Asks the token endpoint, with the client's own id and secret unless `fields` say otherwise. */
export function askToken(
  service: TestApp,
  client: TestClient,
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const { clientId: client_id, clientSecret: client_secret } = client
  const body = { client_id, client_secret, ...fields }
  return service.ask('POST', '/oauth/v2/token', body, { as: 'anonymous', headers })
}

/** A user allows the client everything; returns the tokens. */
export async function getTokens(
  service: TestApp,
  client: TestClient,
  user: { username: string; password: string },
): Promise<TestBody> {
  const { verifier, challenge } = createChallenge()
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await getCode(service, client, user, pkce)
  const answer = await askToken(service, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
