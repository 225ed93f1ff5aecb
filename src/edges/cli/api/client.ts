import { json } from 'node:stream/consumers'
import { AppError, type ErrorKind, type FaultDetails } from '../../../kit/app-error.ts'
import type { HttpApp } from '../../../platform/http/index.ts'

/** An answer of the API, whose body is read as it comes. */
export type Answer = Awaited<ReturnType<ApiClient['send']>>

const kinds: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  415: 'invalid',
  503: 'upstream',
}

/** The API in this process, as a command asks it: without a socket and a log-in. */
export class ApiClient {
  readonly #server: HttpApp

  constructor(server: HttpApp) {
    this.#server = server
  }

  /** Sends a request. The body is JSON unless it is bytes. */
  async send(
    method: string,
    url: string,
    { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: unknown } = {},
  ) {
    const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const answer = await this.#server.inject({
      method: method.toUpperCase() as 'GET',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      ...(payload === undefined ? {} : { payload }),
      payloadAsStream: true,
    })
    return { status: answer.statusCode, headers: answer.headers, stream: answer.stream() }
  }

  /** Sends a request and returns the JSON of its answer. Throws an AppError for one that is not 2xx. */
  async ask<Body>(method: string, url: string, body?: unknown): Promise<Body> {
    const { status, stream } = await this.send(method, url, { body })
    const answer = await json(stream)
    if (status < 400) return answer as Body
    const { error, details } = answer as { error: string; details?: FaultDetails }
    const kind = kinds[status] ?? 'forbidden'
    throw new AppError(kind, `answer_${status}`, error, details === undefined ? {} : { details })
  }
}

/** Returns the kind of error of a status; undefined for those that only tell that it failed. */
export const kindOf = (status: number): ErrorKind | undefined => kinds[status]
