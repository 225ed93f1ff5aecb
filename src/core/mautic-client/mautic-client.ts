import { CircuitBreaker } from '../../kit/circuit-breaker.ts'
import type { Clock } from '../../kit/clock.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import {
  type HttpResponse,
  type OutboundClient,
  retryAfterMs,
} from '../../libraries/mailer/index.ts'
import { MauticError, notMautic, undefinedIfMissing } from './mautic-error.ts'
import { asCount, asObject, asText, readAnswer } from './read-answer.ts'
import { type MauticRequest, sendRequest } from './send-request.ts'

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

/** What the records of a list meet, such as `['id', 'gt', 17]`. */
export type Condition = readonly [column: string, expression: string, value: string | number]

/** Returns the query of a list with conditions. */
export function where(...conditions: readonly Condition[]): MauticQuery {
  const entries = conditions.flatMap(([column, expression, value], index) => [
    [`where[${index}][col]`, column],
    [`where[${index}][expr]`, expression],
    [`where[${index}][val]`, value],
  ])
  return Object.fromEntries(entries) as MauticQuery
}

/** What may differ for one request. */
export interface MauticRequestOptions {
  /** Default: 10 s. */
  timeoutMs?: number | undefined
  /** Whether it is sent although an earlier one failed just now. */
  isProbe?: boolean
  signal?: AbortSignal | undefined
}

const timeoutDefaultMs = 10_000
const bytesMax = 32 * 1_048_576
/** After an outage, other requests fail without being sent, so that messages do not wait for each of them. */
const pauses = { firstMs: 3_000, longestMs: 3_000, jitter: 0 }
/** A server may ask for a longer pause, up to this one. */
const pauseMaxMs = 60_000
const outages: readonly string[] = ['unreachable', 'timeout', 'unauthorized']
/** Statuses that concern every request. One of 500 may concern a single record. */
const busyStatuses: readonly number[] = [429, 502, 503, 504]
/** A token is renewed so long before it ends. */
const tokenMarginMs = 60_000

/** Talks to the API of one Mautic, and keeps the access token. Every method returns the JSON of the answer and throws a MauticError. */
export class MauticClient {
  readonly #login: MauticLogin
  readonly #http: OutboundClient
  readonly #clock: Clock
  readonly #onAnswering: (() => void) | undefined
  readonly #loggingIn = new SingleFlight<string, string>()
  /** By the address. */
  readonly #breaker: CircuitBreaker<string, MauticError>
  #token: { header: string; until: number } | undefined

  /** @param parts.onAnswering Called when the Mautic answers after an outage. */
  constructor(parts: {
    login: MauticLogin
    http: OutboundClient
    clock: Clock
    onAnswering?: (() => void) | undefined
  }) {
    this.#login = parts.login
    this.#http = parts.http
    this.#clock = parts.clock
    this.#onAnswering = parts.onAnswering
    this.#breaker = new CircuitBreaker({ pauses, now: () => parts.clock.monotonic() })
  }

  get(path: string, query: MauticQuery = {}, options: MauticRequestOptions = {}): Promise<unknown> {
    const url = `${this.#login.url}${path}${toQuery(query)}`
    return this.#run({ method: 'GET', url }, options)
  }

  send(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    options: MauticRequestOptions = {},
  ): Promise<unknown> {
    const url = `${this.#login.url}${path}`
    return this.#run({ method, url, body: JSON.stringify(body ?? {}) }, options)
  }

  /** Finds a record by its id; undefined where Mautic has none. */
  async find(
    many: 'contacts' | 'emails' | 'users',
    id: number,
    options: MauticRequestOptions = {},
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.get(`/api/${many}/${id}`, {}, options).catch(undefinedIfMissing)
    if (answer === undefined) return undefined
    const one = many.slice(0, -1)
    const record = asObject(asObject(answer)[one])
    if (asCount(record['id']) === id) return record
    // That does not say that there is none.
    throw notMautic(`The answer has another ${one}, or none.`)
  }

  /** Asks without credentials, and throws unless a Mautic with an enabled API refuses that. */
  reach({ signal }: Pick<MauticRequestOptions, 'signal'> = {}): Promise<void> {
    return this.#guard(true, async () => {
      const url = `${this.#login.url}/api/users/self`
      const limits = { timeoutMs: timeoutDefaultMs, bytesMax, signal }
      const answer = await this.#exchange({ method: 'GET', url, headers: {}, ...limits })
      if (isRefusal(answer)) return
      this.#read(answer, { method: 'GET', url })
      throw notMautic(`${this.#login.url} answers a request without credentials.`)
    })
  }

  /** Logs in, without sending anything else. Without an OAuth client it does nothing: each request has user and password. */
  authenticate(): Promise<void> {
    return this.#guard(true, async () => {
      this.#token = undefined
      await this.#authorize(timeoutDefaultMs)
    })
  }

  #run(
    request: Pick<MauticRequest, 'method' | 'url' | 'body'>,
    { timeoutMs = timeoutDefaultMs, isProbe = false, signal }: MauticRequestOptions,
  ): Promise<unknown> {
    return this.#guard(isProbe, async () => {
      const attempt = async () => {
        const authorization = await this.#authorize(timeoutMs)
        const type = request.body === undefined ? {} : { 'content-type': 'application/json' }
        const headers = { authorization, ...type }
        const answer = await this.#exchange({ ...request, headers, timeoutMs, bytesMax, signal })
        return { answer, authorization }
      }
      const { answer, authorization } = await attempt()
      if (answer.status !== 401 || this.#login.clientId === null) return this.#read(answer, request)
      // The token has expired, unless another request has renewed it already.
      if (this.#token?.header === authorization) this.#token = undefined
      return this.#read((await attempt()).answer, request)
    })
  }

  async #guard<Result>(isProbe: boolean, work: () => Promise<Result>): Promise<Result> {
    const { url } = this.#login
    const outage = this.#breaker.find(url)
    if (!isProbe && outage !== undefined && this.#breaker.isPaused(url)) throw outage.problem
    try {
      const result = await work()
      // One that began later counts.
      if (this.#breaker.find(url) === outage && this.#breaker.pass(url)) this.#onAnswering?.()
      return result
    } catch (error) {
      if (error instanceof MauticError && outages.includes(error.code)) this.#pause(error)
      throw error
    }
  }

  #pause(error: MauticError, askedMs = 0): void {
    const adjust = (pauseMs: number) => Math.min(Math.max(askedMs, pauseMs), pauseMaxMs)
    this.#breaker.fail(this.#login.url, error, adjust)
  }

  #read(answer: HttpResponse, request: Pick<MauticRequest, 'method' | 'url'>): unknown {
    try {
      return readAnswer(answer, request)
    } catch (error) {
      if (error instanceof MauticError && busyStatuses.includes(answer.status))
        this.#pause(error, retryAfterMs(answer, this.#clock.now()))
      throw error
    }
  }

  /** Returns the header `Authorization`. Concurrent requests share one log-in. */
  async #authorize(timeoutMs: number): Promise<string> {
    const { clientId, username, secret } = this.#login
    if (clientId === null) return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`
    if (this.#token !== undefined && this.#clock.monotonic() < this.#token.until)
      return this.#token.header
    return this.#loggingIn.run(clientId, () => this.#logIn(clientId, timeoutMs))
  }

  async #logIn(clientId: string, timeoutMs: number): Promise<string> {
    const url = `${this.#login.url}/oauth/v2/token`
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: this.#login.secret,
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await this.#exchange({ method: 'POST', url, headers, body, timeoutMs, bytesMax })
    if ([400, 401].includes(answer.status)) throw clientRefused(answer, url)
    const json = asObject(this.#read(answer, { method: 'POST', url }))
    const token = asText(json['access_token'])
    if (token === '') {
      const detail = 'The token endpoint of Mautic answered without an access token.'
      throw new MauticError('unexpected', { detail, hint: 'Check url.' })
    }
    const lifetimeMs = (asCount(json['expires_in']) ?? 3_600) * 1_000
    const header = `Bearer ${token}`
    const until = this.#clock.monotonic() + Math.max(0, lifetimeMs - tokenMarginMs)
    this.#token = { header, until }
    return header
  }

  /** Follows a redirect that only adds or removes a slash at the end of the path; every other one is the answer. */
  async #exchange(request: MauticRequest): Promise<HttpResponse> {
    const answer = await sendRequest(this.#http, request)
    const location = answer.headers['location']
    if (request.method !== 'GET' || ![301, 302, 307, 308].includes(answer.status)) return answer
    if (location === undefined || !URL.canParse(location, request.url)) return answer
    const [from, to] = [new URL(request.url), new URL(location, request.url)]
    const plain = ({ origin, pathname }: URL) => `${origin}${pathname.replace(/\/$/, '')}`
    if (plain(from) !== plain(to) || from.pathname === to.pathname) return answer
    return sendRequest(this.#http, { ...request, url: `${to.origin}${to.pathname}${from.search}` })
  }
}

/** Whether Mautic refuses a request without credentials. */
function isRefusal({ status, body }: HttpResponse): boolean {
  return status === 401 && /"errors"/.test(body)
}

function toQuery(query: MauticQuery): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

function clientRefused(answer: HttpResponse, url: string): MauticError {
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
