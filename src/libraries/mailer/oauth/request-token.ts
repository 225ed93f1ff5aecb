import { createPrivateKey } from 'node:crypto'
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
} from 'oauth4webapi'
import { type HttpClient, refuseRedirect } from '../connect/http-client.ts'
import type { ReceivedResponse } from '../connect/http-message.ts'
import { Secret } from '../secret.ts'
import { lostRequest, noToken, refusedGrant } from './token-fault.ts'
import type { TokenGrant } from './token-grant.ts'

/** An answer of a token endpoint. */
export interface IssuedToken {
  readonly accessToken: Secret
  /** Undefined if the endpoint does not say. */
  readonly lifetimeMs: number | undefined
  /** Replaces the refresh token of the request; undefined if that one stays valid. */
  readonly refreshToken: Secret | undefined
}

export interface TokenRequestOptions {
  readonly http: Pick<HttpClient, 'send'>
  /** In milliseconds since the Unix epoch. */
  readonly now: number
  /** Whose mailbox a service account acts for. */
  readonly mailbox: string
  /** Instead of the refresh token of the grant. */
  readonly refreshToken: Secret | undefined
}

/** The time limit of a request, with the connection. */
const timeoutMs = 10_000
/** The largest answer that is read. */
const bytesMax = 64 * 1024
/** A longer token does not fit into a log-in (RFC 4954, section 4), and is not stored. */
const memberBytesMax = 8 * 1024
/** A service account may ask for an hour. */
const assertionSeconds = 3600

/**
 * Requests an access token.
 * @throws {FaultError} at the stage `token`; its fault says what to do.
 */
export async function requestToken(
  grant: TokenGrant,
  options: TokenRequestOptions,
): Promise<IssuedToken> {
  const server: AuthorizationServer = {
    issuer: new URL(grant.tokenUrl).origin,
    token_endpoint: grant.tokenUrl,
  }
  const client: Client = { client_id: grant.clientId }
  let answer: ReceivedResponse | undefined
  const requestOptions = {
    [allowInsecureRequests]: true,
    async [customFetch](url: string, init: { headers: Record<string, string>; body?: unknown }) {
      answer = await send(url, { headers: init.headers, body: String(init.body) }, options)
      // The answer is read below: its status may be one that a Response cannot have.
      return new Response(null)
    },
  }
  await sendGrant(grant, { server, client, options, requestOptions })
  if (answer === undefined) throw new Error('The token endpoint was not asked.')
  return readAnswer(grant, answer, { server, client, now: options.now })
}

interface GrantRequest {
  readonly server: AuthorizationServer
  readonly client: Client
  readonly options: TokenRequestOptions
  readonly requestOptions: object
}

/** The assertion says who asks. */
const byAssertion: ClientAuth = () => undefined

async function sendGrant(
  grant: TokenGrant,
  { server, client, options, requestOptions }: GrantRequest,
): Promise<void> {
  const scope: Record<string, string> = grant.scope === null ? {} : { scope: grant.scope }
  switch (grant.type) {
    case 'client_credentials': {
      const secret = ClientSecretPost(grant.clientSecret.reveal())
      await clientCredentialsGrantRequest(server, client, secret, scope, requestOptions)
      return
    }
    case 'refresh_token': {
      const { clientSecret } = grant
      const secret = clientSecret === null ? None() : ClientSecretPost(clientSecret.reveal())
      const token = (options.refreshToken ?? grant.refreshToken).reveal()
      const more = { ...requestOptions, additionalParameters: scope }
      await refreshTokenGrantRequest(server, client, secret, token, more)
      return
    }
    case 'jwt_bearer': {
      // Its many files are loaded when they are needed.
      const { SignJWT } = await import('jose')
      const issuedAt = Math.floor(options.now / 1000)
      const assertion = await new SignJWT(scope)
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(grant.clientId)
        .setSubject(options.mailbox)
        .setAudience(grant.tokenUrl)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + assertionSeconds)
        .sign(createPrivateKey(grant.key.reveal()))
      const type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      const fields = { assertion }
      await genericTokenEndpointRequest(server, client, byAssertion, type, fields, requestOptions)
    }
  }
}

async function send(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { http }: TokenRequestOptions,
): Promise<ReceivedResponse> {
  const request = { method: 'POST', url, headers, body, hasSecretResponse: true } as const
  try {
    const answer = await http.send(request, { timeoutMs, bytesMax })
    refuseRedirect(request, answer)
    return answer
  } catch (error) {
    throw lostRequest(error)
  }
}

async function readAnswer(
  grant: TokenGrant,
  answer: ReceivedResponse,
  { server, client, now }: Pick<GrantRequest, 'server' | 'client'> & { now: number },
): Promise<IssuedToken> {
  if (answer.status < 200 || answer.status > 299) throw refusedGrant(grant, answer, now)
  if (answer.ending === 'too_large')
    throw noToken(grant, answer, `an answer of more than ${bytesMax / 1024} KB`)
  const json = readObject(answer.body)
  if (json === undefined) throw noToken(grant, answer, 'an answer that is not JSON')
  const fields = usableFields(json)
  const long = Object.keys(fields).find(
    (name) => Buffer.byteLength(String(fields[name])) > memberBytesMax,
  )
  if (long !== undefined)
    throw noToken(grant, answer, `a "${long}" of more than ${memberBytesMax / 1024} KB`)
  const token = await processGenericTokenEndpointResponse(
    server,
    client,
    new Response(JSON.stringify(fields), { headers: { 'content-type': 'application/json' } }),
  ).catch(() => undefined)
  if (token === undefined) throw noToken(grant, answer, 'an answer without a token')
  return {
    accessToken: new Secret(token.access_token),
    lifetimeMs: token.expires_in === undefined ? undefined : token.expires_in * 1000,
    refreshToken: token.refresh_token === undefined ? undefined : new Secret(token.refresh_token),
  }
}

/** The members that are read: the others may be of any size. */
const readNames = new Set(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'])

/** Leaves out what some servers send and the library refuses: empty members and a useless lifetime. */
function usableFields(json: Record<string, unknown>): Record<string, unknown> {
  const usable = Object.entries(json).filter(([name, value]) => {
    if (!readNames.has(name) || value === null || value === '') return false
    return name !== 'expires_in' || isLifetime(value)
  })
  return { token_type: 'Bearer', ...Object.fromEntries(usable) }
}

function isLifetime(seconds: unknown): boolean {
  return Number(seconds) > 0 && Number.isFinite(Number(seconds))
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
