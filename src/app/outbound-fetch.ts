import { AppError } from '../kit/app-error.ts'
import { OutboundClient, OutboundError, type OutboundRules } from '../mailer/index.ts'

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
  readonly #http: OutboundClient
  readonly #timeoutMs: number

  constructor({ rules, timeoutMs = 10_000 }: OutboundFetchOptions) {
    this.#http = new OutboundClient(rules, { connectionsMax })
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends a request, and reads its answer.
   *
   * @throws AppError (`upstream`) where none comes in time, or one of more than 64 KB.
   */
  readonly fetch = async (url: string, request: OutboundRequest): Promise<Response> => {
    const { method, headers, body, signal } = request
    try {
      const answer = await this.#http.send(
        { method, url, headers, body: body.toString() },
        { timeoutMs: this.#timeoutMs, bytesMax, signal },
      )
      const type = answer.headers['content-type']
      return new Response(withoutBody.includes(answer.status) ? null : answer.body, {
        status: answer.status,
        headers: type === undefined ? {} : { 'content-type': type },
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
