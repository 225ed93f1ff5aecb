import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { GoogleEndpoints } from '../src/core/transports/index.ts'

/** The client that the server knows. */
export const googleClient = {
  clientId: '407408718192-example.apps.googleusercontent.com',
  clientSecret: 'GOCSPX-sample+secret/of:the&client',
}
export const googleRefreshToken = '1//0gSample-refresh+token/with&characters'

const mailScope = 'https://mail.google.com/'

/** What the server does; the default is what Google does after the user has allowed the access. */
export interface GoogleBehavior {
  /** Whether the user denies the access. */
  isDenied?: boolean
  /** `iss` of the answer of the consent page; undefined leaves it out. */
  issuer?: string | undefined
  /** Replaces members of the answer with the tokens; undefined removes one. */
  tokens?: Readonly<Record<string, unknown>>
  /** Answers the token endpoint in place of it. */
  answerToken?: (response: ServerResponse) => void
}

/** What a code was issued for. */
interface IssuedCode {
  redirectUri: string
  codeChallenge: string
}

/** An answer. */
interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** An authorization server that answers with the shapes of Google, and checks redirect URI, PKCE, secret and code. */
export class GoogleServer {
  readonly endpoints: GoogleEndpoints
  behavior: GoogleBehavior = {}
  /** The parameters of each request to the consent page. */
  readonly consents: URLSearchParams[] = []
  /** The parameters of each request to the token endpoint. */
  readonly exchanges: URLSearchParams[] = []
  readonly close: () => Promise<void>
  readonly #codes = new Map<string, IssuedCode>()
  readonly #redirectUris: readonly string[] | undefined

  private constructor(
    origin: string,
    redirectUris: readonly string[] | undefined,
    close: () => Promise<void>,
  ) {
    this.endpoints = {
      issuer: origin,
      authorization: `${origin}/o/oauth2/v2/auth`,
      token: `${origin}/token`,
    }
    this.#redirectUris = redirectUris
    this.close = close
  }

  /**
   * Starts the server. `redirectUris` are those of the client. Default: it may use each port of 127.0.0.1.
   */
  static async start(redirectUris?: readonly string[]): Promise<GoogleServer> {
    const http = createServer()
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const server = new GoogleServer(origin, redirectUris, async () => {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    })
    http.on('request', (request, response) => void server.#answer(request, response))
    return server
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.endpoints.issuer)
    const form = new URLSearchParams(await text(request))
    const isToken = url.pathname === '/token' && request.method === 'POST'
    if (isToken) this.exchanges.push(form)
    const { answerToken } = this.behavior
    if (isToken && answerToken !== undefined) return answerToken(response)
    const { status, headers, body } = isToken ? this.#answerToken(form) : this.#answerConsent(url)
    response.writeHead(status, headers).end(body)
  }

  #answerConsent({ pathname, searchParams: query }: URL): Answer {
    if (pathname !== '/o/oauth2/v2/auth') return { status: 404 }
    this.consents.push(query)
    const redirectUri = query.get('redirect_uri') ?? ''
    // Google shows these errors itself, and does not redirect.
    const fault = this.#findFault(query, redirectUri)
    if (fault !== undefined) return { status: 400, body: `Error 400: ${fault}` }
    const target = new URL(redirectUri)
    const { isDenied = false } = this.behavior
    const issuer = 'issuer' in this.behavior ? this.behavior.issuer : this.endpoints.issuer
    if (issuer !== undefined) target.searchParams.set('iss', issuer)
    target.searchParams.set('state', query.get('state') ?? '')
    if (isDenied) {
      target.searchParams.set('error', 'access_denied')
    } else {
      const code = `4/0${randomBytes(12).toString('base64url')}`
      this.#codes.set(code, { redirectUri, codeChallenge: query.get('code_challenge') ?? '' })
      target.searchParams.set('code', code)
      target.searchParams.set('scope', mailScope)
    }
    return { status: 302, headers: { location: target.href } }
  }

  #findFault(query: URLSearchParams, redirectUri: string): string | undefined {
    if (query.get('client_id') !== googleClient.clientId) return 'invalid_client'
    const isRegistered =
      this.#redirectUris?.includes(redirectUri) ?? /^http:\/\/127\.0\.0\.1:\d+$/.test(redirectUri)
    if (!isRegistered) return 'redirect_uri_mismatch'
    const expected = {
      response_type: 'code',
      scope: mailScope,
      access_type: 'offline',
      prompt: 'consent',
      code_challenge_method: 'S256',
    }
    const wrong = Object.entries(expected).find(([name, value]) => query.get(name) !== value)
    return wrong === undefined ? undefined : `invalid_request (${wrong[0]})`
  }

  #answerToken(form: URLSearchParams): Answer {
    const { clientId, clientSecret } = googleClient
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      return json(401, {
        error: 'invalid_client',
        error_description: 'The provided client secret is invalid.',
      })
    const code = form.get('code') ?? ''
    const issued = this.#codes.get(code)
    // Each code works once.
    this.#codes.delete(code)
    if (issued === undefined)
      return json(400, { error: 'invalid_grant', error_description: 'Malformed auth code.' })
    if (form.get('redirect_uri') !== issued.redirectUri)
      return json(400, { error: 'redirect_uri_mismatch', error_description: 'Bad Request' })
    const verifier = form.get('code_verifier') ?? ''
    if (createHash('sha256').update(verifier).digest('base64url') !== issued.codeChallenge)
      return json(400, { error: 'invalid_grant', error_description: 'Invalid code verifier.' })
    return json(200, {
      access_token: 'ya29.sample-access-token',
      expires_in: 3599,
      refresh_token: googleRefreshToken,
      scope: mailScope,
      token_type: 'Bearer',
      ...this.behavior.tokens,
    })
  }
}

function json(status: number, body: unknown): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify(body, null, 2) }
}
