import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Semaphore } from '../../src/kit/semaphore.ts'
import { freePort } from '../free-port.ts'
import { type ApiAnswer, answerRequest, failed, malformed } from './answer-request.ts'
import { createData, type DataSizes, type MauticData, type MauticVersion } from './mautic-data.ts'
import { type Json, readRecording } from './recordings.ts'

/** How a Mautic behaves. Tests change it while it runs. */
export interface MauticBehaviour {
  version: MauticVersion
  /** The private hosts that webhooks of version 7 may call: `webhook_allowed_private_addresses`. */
  privateHosts: readonly string[]
  /** How long each answer takes. A real one takes 30 ms. */
  delayMs: number
  /** How much longer Basic takes: 600 ms in a real one. */
  basicDelayMs: number
  /** What an empty list is; by default as recorded for each list. */
  emptyList: 'as recorded' | '[]' | '{}'
  /** Whether numbers are sent as strings. */
  hasTextNumbers: boolean
  /** How long an access token is valid. */
  tokenSeconds: number
  /** More rights of the role of `limited`, such as `{ 'webhook:webhooks': ['create'] }`. */
  rights: Readonly<Record<string, readonly string[]>>
  /** What goes wrong with a request: an error status, no answer at all, or a broken connection. A promise delays it. */
  fault: (request: {
    method: string
    path: string
  }) => MauticFault | undefined | Promise<MauticFault | undefined>
}

/** `hang` never answers, `reset` breaks the connection, `html` is a page that is no JSON, `body` is another answer than expected. */
export type MauticFault = number | 'hang' | 'reset' | 'html' | { status?: number; body: Json }

/** A request that a Mautic got. */
export interface MauticRequest {
  method: string
  /** With the query. */
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

/** An HTTP server on loopback that answers as a recorded Mautic 5.1 or 6.0 did, or as one of 7 does by its source. */
export interface MauticDouble {
  /** The base URL, without a slash at the end. */
  readonly url: string
  readonly data: MauticData
  readonly behaviour: MauticBehaviour
  /** Every request that it got. */
  readonly requests: MauticRequest[]
  /** The OAuth client, which acts as an administrator. */
  readonly client: { clientId: string; clientSecret: string }
  readonly administrator: { username: string; password: string }
  /** A user of a role that may see and send emails. */
  readonly limited: { username: string; password: string }
  /**
   * Sends the changes of Do not contact that wait to each published webhook, in one request: what the job of Mautic does.
   * Version 7 calls no private address that is not allowed, and sends again what was not answered 2xx. Returns the answers.
   */
  callWebhooks(options?: { isRepeated?: boolean }): Promise<number[]>
  /** Ends all access tokens. */
  revokeTokens(): void
  /** Closes the port until `start` opens it again. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** What a double has, and how it begins. */
export type MauticDoubleOptions = DataSizes & Partial<MauticBehaviour>

/** Makes a Mautic as slow as a real one on a small machine, whose user logs in with Basic: 1.5 s a request, two at a time. */
export function slowly(): MauticBehaviour['fault'] {
  const workers = new Semaphore({ permits: 2 })
  return () => workers.run(async () => void (await setTimeout(1_500)))
}

const accounts = {
  administrator: { username: 'admin', password: 'Mautic-password-1' },
  limited: { username: 'user5', password: 'Mautic-password-5' },
  client: { clientId: '1_labrandomid', clientSecret: 'labsecret' },
}

/** Starts a Mautic. */
export async function startMauticDouble(options: MauticDoubleOptions = {}): Promise<MauticDouble> {
  const state: DoubleState = {
    data: createData(options),
    behaviour: {
      version: '5.1.0',
      privateHosts: [],
      delayMs: 0,
      basicDelayMs: 0,
      emptyList: 'as recorded',
      hasTextNumbers: false,
      tokenSeconds: 3_600,
      rights: {},
      fault: () => undefined,
      ...options,
    },
    requests: [],
    tokens: new Map(),
  }
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy())
  })
  const port = await freePort()
  const start = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await start()
  const stop = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    ...accounts,
    ...state,
    url: `http://127.0.0.1:${port}`,
    callWebhooks: ({ isRepeated = false } = {}) => callWebhooks(state, isRepeated),
    revokeTokens: () => state.tokens.clear(),
    stop,
    start,
    async close() {
      if (server.listening) await stop()
    },
  }
}

async function callWebhooks(
  { data, behaviour: { version, privateHosts } }: DoubleState,
  isRepeated: boolean,
): Promise<number[]> {
  const events = data.pending.splice(0)
  const payload = JSON.stringify({ 'mautic.lead_channel_subscription_changed': events })
  const answers: number[] = []
  for (const { webhookUrl, secret, isPublished } of data.hooks.values()) {
    const isRefused = version === '7.0.0' && !privateHosts.includes(new URL(webhookUrl).hostname)
    if (!isPublished || isRefused) continue
    const signature = createHmac('sha256', secret).update(payload).digest('base64')
    const headers = { 'content-type': 'application/json', 'webhook-signature': signature }
    const answer = await fetch(webhookUrl, { method: 'POST', headers, body: payload })
    answers.push(answer.status)
  }
  const isLost =
    version === '7.0.0' && (answers.length === 0 || answers.some((code) => code >= 300))
  if (isRepeated || isLost) data.pending.unshift(...events)
  return answers
}

interface DoubleState {
  data: MauticData
  behaviour: MauticBehaviour
  requests: MauticRequest[]
  /** When access tokens end, in milliseconds since the epoch. */
  tokens: Map<string, number>
}

async function handle(
  state: DoubleState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { behaviour, requests } = state
  const { method = 'GET', url: path = '/', headers } = request
  const body = readBody(await text(request), headers['content-type'])
  requests.push({ method, path, headers, body })
  const isBasic = headers.authorization?.startsWith('Basic ') === true
  const delayMs = behaviour.delayMs + (isBasic ? behaviour.basicDelayMs : 0)
  if (delayMs > 0) await setTimeout(delayMs)
  const fault = await behaviour.fault({ method, path })
  if (fault === 'hang') return
  if (fault === 'reset') {
    request.socket.resetAndDestroy()
    return
  }
  if (fault === 'html') {
    response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' }).end('<html></html>')
    return
  }
  if (typeof fault === 'object') {
    send(response, { status: fault.status ?? 200, body: fault.body }, behaviour)
    return
  }
  send(response, answer(state, { method, path, headers, body }, fault), behaviour)
}

const notJson = Symbol('not JSON')

function readBody(body: string, type: string | undefined): Json {
  if (body === '') return undefined
  if (type?.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(body))
  try {
    return JSON.parse(body)
  } catch {
    return notJson
  }
}

type FullAnswer = ApiAnswer & { headers?: Record<string, string> }

function answer(state: DoubleState, request: MauticRequest, fault?: number): FullAnswer {
  const { pathname, searchParams: query } = new URL(request.path, 'http://mautic')
  if (fault !== undefined) return { ...failed, status: fault }
  if (request.body === notJson) return malformed
  if (request.method === 'POST' && pathname === '/oauth/v2/token') return giveToken(state, request)
  const caller = authenticate(state, request)
  if ('status' in caller) return caller
  if (pathname.endsWith('/') && request.method === 'GET') {
    const location = `http://${request.headers.host}${request.path.replace(/\/(?=\?|$)/, '')}`
    return { status: 301, body: '', headers: { location, 'content-type': 'text/html' } }
  }
  const { version } = state.behaviour
  const { method, body } = request
  const api = { method, path: pathname, query, body, version, ...caller }
  return answerRequest(api, state.data)
}

const { body: tokenAnswer } = readRecording('076').response
const { status: refusedStatus, body: refusedBody } = readRecording('077').response

function giveToken({ tokens, behaviour }: DoubleState, { body }: MauticRequest): ApiAnswer {
  const { client_id, client_secret } = body ?? {}
  const isRight =
    client_id === accounts.client.clientId && client_secret === accounts.client.clientSecret
  if (!isRight) return { status: refusedStatus, body: refusedBody }
  const token = `token-${tokens.size + 1}-${Math.random().toString(36).slice(2)}`
  tokens.set(token, Date.now() + behaviour.tokenSeconds * 1_000)
  const answered = { ...tokenAnswer, access_token: token, expires_in: behaviour.tokenSeconds }
  return { status: 200, body: answered }
}

function authenticate({ tokens, behaviour }: DoubleState, { headers }: MauticRequest) {
  const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ')
  if (scheme === 'Bearer') {
    const isValid = (tokens.get(credentials) ?? 0) > Date.now()
    return isValid ? { isAdmin: true, userId: null, self: bodyOf('006') } : refusal('008')
  }
  if (scheme !== 'Basic') return refusal('009')
  const given = Buffer.from(credentials, 'base64').toString()
  const { administrator, limited } = accounts
  if (given === `${administrator.username}:${administrator.password}`)
    return { isAdmin: true, userId: 1, self: bodyOf('001') }
  if (given === `${limited.username}:${limited.password}`)
    return { isAdmin: false, userId: 5, self: withRights(bodyOf('004'), behaviour) }
  return refusal('007')
}

function withRights(self: Json, { rights }: MauticBehaviour): Json {
  const { role } = self
  return { ...self, role: { ...role, rawPermissions: { ...role.rawPermissions, ...rights } } }
}

function bodyOf(number: string): Json {
  return readRecording(number).response.body
}

function refusal(number: string): ApiAnswer {
  const { status, body } = readRecording(number).response
  return { status, body }
}

function send(response: ServerResponse, given: FullAnswer, behaviour: MauticBehaviour): void {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'mautic-version': behaviour.version,
    ...given.headers,
  }
  const body = typeof given.body === 'string' ? given.body : toJson(given.body, behaviour)
  response.writeHead(given.status, headers).end(body)
}

function toJson(body: Json, { emptyList, hasTextNumbers }: MauticBehaviour): string {
  const lists = ['emails', 'contacts', 'users', 'stats', 'hooks']
  return JSON.stringify(body, (key, value: Json) => {
    if (hasTextNumbers && typeof value === 'number') return String(value)
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    if (!isEmpty || !lists.includes(key) || emptyList === 'as recorded') return value
    return emptyList === '[]' ? [] : {}
  })
}
