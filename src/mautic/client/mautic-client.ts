import type { Dispatcher } from 'undici'
import type { Clock } from '../../kit/clock.ts'
import { MauticError } from './mautic-error.ts'
import { asCount, asObject, asText, readAnswer } from './read-answer.ts'
import { type MauticAnswer, type MauticRequest, sendRequest } from './send-request.ts'

/** What a Mautic is logged in to with: an OAuth client, or a user. */
export interface MauticLogin {
  /** Without a slash at the end. */
  url: string
  clientId: string | null
  username: string | null
  /** The secret of the client or the password of the user. */
  secret: string
}

/** The query of a request, such as `{ 'where[0][col]': 'id' }`. */
export type MauticQuery = Readonly<Record<string, string | number>>

/** What may differ for one request. */
export interface MauticRequestOptions {
  /** Default: 10 s. */
  timeoutMs?: number | undefined
  /** Whether it is sent although an earlier one failed just now. */
  isProbe?: boolean
  signal?: AbortSignal | undefined
}

/** Talks to the API of one Mautic. Every method returns the JSON of the answer and throws a MauticError. */
export interface MauticClient {
  get(path: string, query?: MauticQuery, options?: MauticRequestOptions): Promise<unknown>
  send(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    options?: MauticRequestOptions,
  ): Promise<unknown>
  /** Asks without credentials, and throws unless a Mautic with an enabled API refuses that. */
  reach(options?: Pick<MauticRequestOptions, 'signal'>): Promise<void>
  /** Logs in, without sending anything else. Without an OAuth client it does nothing: each request has user and password. */
  authenticate(options?: MauticRequestOptions): Promise<void>
}

/** Dependencies of `createMauticClient`. */
export interface MauticClientOptions {
  login: MauticLogin
  dispatcher: () => Dispatcher
  clock: Clock
}

const timeoutDefaultMs = 10_000
const bytesMax = 32 * 1_048_576
/** After a failure, other requests fail without being sent. */
const pauseAfterOutageMs = 3_000
/** A token is renewed so long before it ends. */
const tokenMarginMs = 60_000

/** Creates the client of a Mautic. It keeps the access token. */
export function createMauticClient({
  login,
  dispatcher,
  clock,
}: MauticClientOptions): MauticClient {
  const guard = createOutageGuard(clock)
  const exchange = (request: MauticRequest) => followSlash(dispatcher(), request)
  const authorize = createAuthorize(login, { exchange, clock })
  const run = (
    request: Pick<MauticRequest, 'method' | 'url' | 'body'>,
    { timeoutMs = timeoutDefaultMs, isProbe = false, signal }: MauticRequestOptions,
  ) => {
    const attempt = async (failed?: string) => {
      const authorization = await authorize({ failed, timeoutMs })
      const type = request.body === undefined ? {} : { 'content-type': 'application/json' }
      const headers = { authorization, ...type }
      const answer = await exchange({ ...request, headers, timeoutMs, bytesMax, signal })
      return { answer, authorization }
    }
    return guard(isProbe, async () => {
      const { answer, authorization } = await attempt()
      const isExpired = answer.status === 401 && login.clientId !== null
      return readAnswer(isExpired ? (await attempt(authorization)).answer : answer, request)
    })
  }
  return {
    get: (path, query = {}, options = {}) =>
      run({ method: 'GET', url: `${login.url}${path}${toQuery(query)}` }, options),
    send: (method, path, body, options = {}) =>
      run({ method, url: `${login.url}${path}`, body: JSON.stringify(body ?? {}) }, options),
    reach: ({ signal } = {}) =>
      guard(true, async () => {
        const url = `${login.url}/api/users/self`
        const limits = { timeoutMs: timeoutDefaultMs, bytesMax, signal }
        const answer = await exchange({ method: 'GET', url, headers: {}, ...limits })
        if (isRefusal(answer)) return
        readAnswer(answer, { method: 'GET', url })
        const detail = `${login.url} answers a request without credentials.`
        throw new MauticError('unexpected', { detail, hint: 'Check that url names a Mautic.' })
      }),
    authenticate: ({ isProbe = false, timeoutMs = timeoutDefaultMs } = {}) =>
      guard(isProbe, async () => void (await authorize({ isNew: true, timeoutMs }))),
  }
}

/** Whether Mautic refuses a request without credentials. */
function isRefusal({ status, body }: MauticAnswer): boolean {
  return status === 401 && /"errors"/.test(body)
}

/** After an outage, requests fail at once for a while, so that messages do not wait for each of them. */
function createOutageGuard(clock: Clock) {
  let outage: { error: MauticError; until: number } | undefined
  return async <Result>(isProbe: boolean, work: () => Promise<Result>): Promise<Result> => {
    if (!isProbe && outage !== undefined && clock.now() < outage.until) throw outage.error
    try {
      const result = await work()
      outage = undefined
      return result
    } catch (error) {
      if (error instanceof MauticError && pausing.includes(error.code))
        outage = { error, until: clock.now() + pauseAfterOutageMs }
      throw error
    }
  }
}

const pausing: readonly string[] = ['unreachable', 'timeout', 'unauthorized']

function toQuery(query: MauticQuery): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

/** Follows a redirect that only adds or removes a slash at the end of the path; every other one is the answer. */
async function followSlash(dispatcher: Dispatcher, request: MauticRequest): Promise<MauticAnswer> {
  const answer = await sendRequest(dispatcher, request)
  const { location } = answer
  if (request.method !== 'GET' || ![301, 302, 307, 308].includes(answer.status)) return answer
  if (location === undefined || !URL.canParse(location, request.url)) return answer
  const [from, to] = [new URL(request.url), new URL(location, request.url)]
  const plain = ({ origin, pathname }: URL) => `${origin}${pathname.replace(/\/$/, '')}`
  if (plain(from) !== plain(to) || from.pathname === to.pathname) return answer
  return sendRequest(dispatcher, { ...request, url: `${to.origin}${to.pathname}${from.search}` })
}

interface AuthorizeOptions {
  /** The header that Mautic has just refused. */
  failed?: string | undefined
  /** Whether a new token is asked for. */
  isNew?: boolean
  timeoutMs: number
}

interface AuthorizeParts {
  exchange: (request: MauticRequest) => Promise<MauticAnswer>
  clock: Clock
}

/** Creates the function that returns the header `Authorization`. Concurrent requests share one log-in. */
function createAuthorize(login: MauticLogin, parts: AuthorizeParts) {
  const { clientId, username, secret } = login
  if (clientId === null) {
    const credentials = Buffer.from(`${username}:${secret}`).toString('base64')
    return async () => `Basic ${credentials}`
  }
  let token: { header: string; until: number } | undefined
  let running: Promise<string> | undefined
  return async ({ failed, isNew = false, timeoutMs }: AuthorizeOptions) => {
    if (isNew || token?.header === failed) token = undefined
    if (token !== undefined && parts.clock.now() < token.until) return token.header
    running ??= logIn(login, parts, timeoutMs)
      .then((found) => {
        token = found
        return found.header
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
}

async function logIn(
  { url: base, clientId, secret }: MauticLogin,
  { exchange, clock }: AuthorizeParts,
  timeoutMs: number,
): Promise<{ header: string; until: number }> {
  const url = `${base}/oauth/v2/token`
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId ?? '',
    client_secret: secret,
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const request = { method: 'POST' as const, url, headers, body, timeoutMs, bytesMax }
  const answer = await exchange(request)
  if ([400, 401].includes(answer.status)) throw clientRefused(answer, url)
  const json = asObject(readAnswer(answer, { method: 'POST', url }))
  const text = asText(json['access_token'])
  if (text === '') {
    const detail = 'The token endpoint of Mautic answered without an access token.'
    throw new MauticError('unexpected', { detail, hint: 'Check url.' })
  }
  const seconds = asCount(json['expires_in']) ?? 3_600
  return {
    header: `Bearer ${text}`,
    until: clock.now() + Math.max(0, seconds * 1_000 - tokenMarginMs),
  }
}

function clientRefused(answer: MauticAnswer, url: string): MauticError {
  try {
    readAnswer(answer, { method: 'POST', url })
  } catch (error) {
    if (!(error instanceof MauticError)) throw error
    const hint =
      'Check clientId and clientSecret. Mautic grants client_credentials only to API credentials (OAuth 2) that an administrator has created.'
    return new MauticError('unauthorized', { detail: error.detail, hint }, error)
  }
  throw new Error('A refusal of the token endpoint is an error.')
}
