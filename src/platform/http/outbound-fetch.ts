import { AppError } from '../../kit/app-error.ts'
import { OutboundClient, OutboundError, type OutboundRules } from '../../libraries/mailer/index.ts'
import type { Config } from '../config/index.ts'

export interface OutboundFetchOptions {
  /** Where it may connect to. */
  rules: OutboundRules
  /** The time limit of everything: connection, request and answer. Default: 10 s. */
  timeoutMs?: number
  /** Whether the beginning of an answer of more than 64 KB, or of one that breaks off, is enough. Default: no. */
  isCutAccepted?: boolean
}

const bytesMax = 64 * 1024
const connectionsMax = 4
/** Statuses of which a Response must have no body. */
const withoutBody = [204, 205, 304]
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Sends small requests to addresses that the outbound policy allows. A redirect is an answer like any other. */
export class OutboundFetch {
  readonly #http: OutboundClient
  readonly #timeoutMs: number
  readonly #isCutAccepted: boolean

  constructor({ rules, timeoutMs = 10_000, isCutAccepted = false }: OutboundFetchOptions) {
    this.#http = new OutboundClient(rules, { connectionsMax })
    this.#timeoutMs = timeoutMs
    this.#isCutAccepted = isCutAccepted
  }

  /**
   * Sends a request, and reads its answer. It is a `fetch` for libraries, with the bodies that they send: text, a form or bytes.
   *
   * @throws AppError (`upstream`) where none comes in time, or one that is too large or breaks off and may not be cut.
   */
  readonly fetch = async (
    input: string | URL | Request,
    { method, headers, body, signal }: RequestInit = {},
  ): Promise<Response> => {
    if (input instanceof Request) throw new TypeError('Pass a URL instead of a Request.')
    const request = {
      method: methodOf(method),
      url: String(input),
      ...contentOf(headers, body),
    }
    const limits = {
      timeoutMs: this.#timeoutMs,
      bytesMax,
      signal: signal ?? undefined,
      isCutAccepted: this.#isCutAccepted,
    }
    try {
      const answer = await this.#http.send(request, limits)
      return new Response(withoutBody.includes(answer.status) ? null : answer.body, {
        status: answer.status,
        headers: answer.headers,
      })
    } catch (error) {
      if (signal?.aborted === true) throw error
      const code = error instanceof OutboundError ? error.code : 'unreachable'
      const message = error instanceof Error ? error.message : String(error)
      throw new AppError('upstream', `outbound_${code}`, message, { cause: error })
    }
  }

  /** Ends the requests that wait. */
  close(): Promise<void> {
    return this.#http.close()
  }
}

function methodOf(method = 'GET') {
  const known = methods.find((each) => each === method.toUpperCase())
  if (known === undefined) throw new TypeError(`The method ${method} is not supported.`)
  return known
}

/** Returns the headers and the body of a request. A form says that it is one. */
function contentOf(headers: RequestInit['headers'], body: RequestInit['body']) {
  const all = new Headers(headers)
  const type = 'application/x-www-form-urlencoded;charset=UTF-8'
  if (body instanceof URLSearchParams && !all.has('content-type')) all.set('content-type', type)
  return { headers: Object.fromEntries(all), body: bodyOf(body) }
}

function bodyOf(body: RequestInit['body']): string | Uint8Array {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('Pass a body of text, a form or bytes.')
}

/** Returns where the configuration allows connections to. */
export function outboundRules(config: Config): OutboundRules {
  const { outboundPolicy: mode, outboundAllow: allow, outboundDeny: deny } = config
  return { mode, allow, deny }
}
