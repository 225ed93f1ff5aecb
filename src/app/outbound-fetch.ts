import type { Agent } from 'undici'
import { AppError } from '../kit/app-error.ts'
import { readLimited } from '../kit/read-limited.ts'
import { createResolveAllowed, OutboundError, type OutboundRules } from '../mailer/index.ts'
import { openOutboundAgent } from '../mautic/index.ts'

/** A request of a library that takes a `fetch`. */
interface OutboundRequest {
  method: 'POST'
  headers: Record<string, string>
  body: URLSearchParams
  signal?: AbortSignal
}

/** Options of an OutboundFetch. */
export interface OutboundFetchOptions {
  /** Where it may connect to. */
  rules: OutboundRules
  /** The time limit of everything: connection, request and answer. Default: 10 s. */
  timeoutMs?: number
}

const bytesMax = 64 * 1024
const connectionsMax = 4
/** Statuses of which a Response must have no body. */
const withoutBody = [204, 205, 304]

/** Sends small requests to addresses that the outbound policy allows. A redirect is an answer like any other. */
export class OutboundFetch {
  readonly #rules: OutboundRules
  readonly #timeoutMs: number
  #agent: Agent | undefined

  constructor({ rules, timeoutMs = 10_000 }: OutboundFetchOptions) {
    this.#rules = rules
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends a request, and reads its answer.
   *
   * @throws AppError (`upstream`) where none comes in time, or one of more than 64 KB.
   */
  readonly fetch = async (url: string, request: OutboundRequest): Promise<Response> => {
    const { origin, pathname, search } = new URL(url)
    const late = AbortSignal.timeout(this.#timeoutMs)
    const { signal } = request
    this.#agent ??= openOutboundAgent({
      resolve: createResolveAllowed(this.#rules),
      connectionsMax,
    })
    try {
      const answer = await this.#agent.request({
        origin,
        path: `${pathname}${search}`,
        method: request.method,
        headers: request.headers,
        body: request.body.toString(),
        signal: signal === undefined ? late : AbortSignal.any([late, signal]),
      })
      const body = await readLimited(answer.body, bytesMax)
      if (body === undefined) throw tooLarge(origin)
      const type = answer.headers['content-type']
      return new Response(withoutBody.includes(answer.statusCode) ? null : body, {
        status: answer.statusCode,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      })
    } catch (error) {
      if (error instanceof AppError || signal?.aborted === true) throw error
      throw late.aborted ? timedOut(origin, this.#timeoutMs) : unreachable(origin, error)
    }
  }

  /** Ends the requests that wait. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}

function timedOut(origin: string, timeoutMs: number): AppError {
  const seconds = Math.max(1, Math.round(timeoutMs / 1_000))
  const message = `${origin} did not answer within ${seconds} s. Repeat it later.`
  return new AppError('upstream', 'outbound_timeout', message)
}

function tooLarge(origin: string): AppError {
  const message = `The answer of ${origin} is larger than ${bytesMax / 1024} KB. Check that nothing on the way answers in its place.`
  return new AppError('upstream', 'outbound_answer_too_large', message)
}

function unreachable(origin: string, cause: unknown): AppError {
  if (cause instanceof OutboundError)
    return new AppError('upstream', `outbound_${cause.code}`, cause.message, { cause })
  const { code = '', message } = cause as NodeJS.ErrnoException
  const reason = code === '' ? message : code
  const sentence = `The connection to ${origin} failed: ${reason}. Check the network of this machine.`
  return new AppError('upstream', 'outbound_unreachable', sentence, { cause })
}
