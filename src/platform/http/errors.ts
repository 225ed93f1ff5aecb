import type { FastifyError } from 'fastify'
import { AppError, type ErrorKind, type FaultDetails } from '../../kit/app-error.ts'

/** An error that only HTTP has, such as an unsupported media type. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** The one shape of every error of the API. */
export interface ErrorBody {
  success: false
  /** What is wrong and what to do. */
  error: string
  /** Every fault of the request, by field. */
  details?: FaultDetails
}

/** The response to an error. */
export interface ErrorAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: ErrorBody
}

const statuses: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  upstream: 503,
  internal: 500,
}

/** Returns the HTTP status of a kind of error. */
export function statusOf(kind: ErrorKind): number {
  return statuses[kind]
}

/** Returns the response to an error. `id` is the request id, with which an operator finds an internal error in the log. */
export function answerTo(error: unknown, id: string): ErrorAnswer {
  if (error instanceof AppError && error.kind !== 'internal') return answerToAppError(error)
  if (error instanceof HttpError) {
    return { status: error.status, headers: error.headers, body: bodyOf(error.message) }
  }
  const status = clientErrorStatus(error)
  if (status !== undefined) {
    const { code, message } = error as FastifyError
    return { status, headers: {}, body: bodyOf(fastifyMessages[code] ?? message) }
  }
  const message = `Internal error. The log has the details under the id ${id}.`
  return { status: 500, headers: {}, body: bodyOf(message) }
}

function answerToAppError(error: AppError): ErrorAnswer {
  const { kind, message, details, retryAfterSeconds, facts } = error
  return {
    status: statuses[kind],
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { ...facts, ...bodyOf(message), ...(details === undefined ? {} : { details }) },
  }
}

/** Returns the body of an error. */
export function bodyOf(error: string): ErrorBody {
  return { success: false, error }
}

const fastifyMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as application/json.',
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding.',
}

/** Returns the status of an error of Fastify that the client caused; undefined for any other error. */
function clientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  // The code of a DOMException is a number.
  const { code, statusCode = 500 } = error as { code?: unknown; statusCode?: number }
  const isOfFastify = typeof code === 'string' && code.startsWith('FST_')
  const isClientError = isOfFastify && statusCode >= 400 && statusCode < 500
  return isClientError ? statusCode : undefined
}
