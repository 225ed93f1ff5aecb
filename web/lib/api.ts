import type { components, paths } from '../generated/api-types.ts'
import { words } from '../words/common.ts'
import { checkConnection, connection } from './connection.ts'
import { isOfSession, noteRequest } from './curl.ts'
import { createGate } from './gate.ts'

/** A schema of the OpenAPI document, by its name. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Operation<M extends Method, P extends keyof paths> = NonNullable<paths[P][Lowercase<M>]>
/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<M, P>] extends [never] ? never : P
}[keyof paths]

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : never
type BodyOf<O> = O extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never
type AnswerOf<O> = O extends { responses: infer Answers }
  ? Json<Answers[keyof Answers & (200 | 201)]>
  : never
type ParametersOf<O, Place extends 'path' | 'query'> = O extends { parameters: infer All }
  ? Place extends keyof All
    ? NonNullable<All[Place]>
    : never
  : never

/** The body of a successful answer, for example `Body<'GET', '/api/deliveries'>`. */
export type Body<M extends Method, P extends PathOf<M>> = AnswerOf<Operation<M, P>>

/** Values of parameters. Numbers and booleans are written as text; undefined and empty ones are left out. */
type Values = Readonly<Record<string, string | number | boolean | undefined>>

/** What a request says besides its method and path. */
export type Options<M extends Method, P extends PathOf<M>> = OptionsOf<Operation<M, P>>

interface OptionsOf<O> {
  /** The parameters in the path. */
  path?: { [Name in keyof ParametersOf<O, 'path'>]: string | number }
  query?: { [Name in keyof ParametersOf<O, 'query'>]?: string | number | boolean | undefined }
  body?: BodyOf<O>
  /** For `If-Match`: another edit in the meantime is then a fault with status 409 or 412. */
  etag?: string | undefined
  signal?: AbortSignal
  /** A POST that changes nothing, such as the inspection of a DSN: it is not the last change. */
  isRead?: boolean
  /** A request that the page repeats automatically: "copy as curl" does not offer it. */
  isBackground?: boolean
}

interface FaultAnswer extends Record<string, unknown> {
  error?: string
  details?: Record<string, string[]>
}

/** A failed request: the sentence of the API, and its faults by field. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault'
  /** 0 where there was no answer. */
  readonly status: number
  readonly details: Readonly<Record<string, readonly string[]>>
  /** The whole answer, such as that to a batch. */
  readonly answer: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, answer: FaultAnswer = {}) {
    super(message)
    this.status = status
    this.details = answer.details ?? {}
    this.answer = answer
  }
}

/** An answer, with what its headers say. */
export interface Answer<Content> {
  body: Content
  /** The entity tag of one record, for `If-Match`. */
  etag: string | undefined
  /** How many records there are, for a list. */
  total: number
}

/** How far the browser's clock is ahead of the server's, by its last answer. */
let aheadMs = 0

/** The time on the server's clock, for what the API compares with it. */
export function serverNow(): number {
  return Date.now() - aheadMs
}

/** Closed after an answer that said that the session has ended, until the user has logged in again. */
export const loggedIn = createGate()

/**
 * Asks the API. Paths, parameters, bodies and answers have the types of the OpenAPI document.
 *
 * @throws ApiFault where the answer is not 2xx, or where there is none (status 0).
 */
export async function ask<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: Options<M, P> = {},
): Promise<Answer<Body<M, P>>> {
  const { body, etag, signal = null, isRead = method === 'GET', isBackground = false } = options
  const url = withQuery(fillPath(path, options.path), options.query)
  const accept = 'application/json'
  const response = await request(url, {
    ...jsonRequest(method, body, etag === undefined ? { accept } : { accept, 'if-match': etag }),
    signal,
    isRead,
    isBackground,
  })
  return {
    body: (await readJson(response)) as Body<M, P>,
    etag: response.headers.get('etag') ?? undefined,
    total: Number(response.headers.get('x-total-count') ?? Number.NaN),
  }
}

/** A request with a body as JSON, or without one. */
export function jsonRequest(
  method: Method,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): RequestInit {
  if (body === undefined) return { method, headers }
  const type = { 'content-type': 'application/json' }
  return { method, headers: { ...headers, ...type }, body: JSON.stringify(body) }
}

interface RequestOptions extends RequestInit {
  isRead: boolean
  isBackground?: boolean
}

/**
 * Sends a request whose answer is not one JSON document, such as a stream. While the connection is lost, reads wait for
 * it; while no one is logged in, all requests wait for the log-in.
 *
 * @throws ApiFault where the answer is not 2xx, or where there is none (status 0).
 */
export async function request(
  url: string,
  { isRead, isBackground = false, ...init }: RequestOptions,
): Promise<Response> {
  if (!isBackground) noteRequest(url, init, isRead)
  const response = await send(url, init, isRead)
  const date = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(date)) aheadMs = Date.now() - date
  if (response.ok) return response
  if (response.status === 401 && !isOfSession(url)) {
    loggedIn.close()
    await loggedIn.wait(init.signal)
    return request(url, { ...init, isRead, isBackground: true })
  }
  const answer = ((await readJson(response)) ?? {}) as FaultAnswer
  throw new ApiFault(response.status, answer.error ?? words.answered(response.status), answer)
}

/** A change whose answer is lost may have been made, so it is not repeated. */
async function send(url: string, init: RequestInit, isRead: boolean): Promise<Response> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      const response = await fetch(url, { ...init, credentials: 'same-origin' })
      if (!isFromGateway(response)) return response
    } catch (error) {
      if (init.signal?.aborted) throw error
    }
    const doesAnswer = await checkConnection()
    if (!isRead || (doesAnswer && isRepeated)) throw new ApiFault(0, words.noAnswer)
    await connection.wait(init.signal)
  }
}

const gatewayStatuses = [502, 503, 504]

/** Whether a reverse proxy answered because Mailyard did not. */
function isFromGateway({ status, headers }: Response): boolean {
  const isJson = headers.get('content-type')?.includes('json') ?? false
  return gatewayStatuses.includes(status) && !isJson
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function fillPath(path: string, values: Values = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
}

/** Adds a query to a path, without the parameters that are undefined or empty. */
export function withQuery(path: string, query: Values = {}): string {
  const parameters = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== '',
  )
  if (parameters.length === 0) return path
  return `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`
}
