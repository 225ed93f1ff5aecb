import { AppError, type ErrorKind, type FaultDetails } from '../kit/app-error.ts'
import { HttpRefusal } from './http-refusal.ts'

/** The one shape of every error of the API. */
export interface ErrorBody {
  success: false
  /** One sentence for a person. */
  error: string
  /** Every fault of the request, by field. */
  details?: FaultDetails
}

/** What the caller is answered. */
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

/** The HTTP status of a kind of error. */
export function statusOf(kind: ErrorKind): number {
  return statuses[kind]
}

/** The answer to an error that was thrown; `id` finds it in the log where it is a fault of ours. */
export function answerTo(error: unknown, id: string): ErrorAnswer {
  if (error instanceof AppError && error.kind !== 'internal') return answerToAppError(error)
  if (error instanceof HttpRefusal) {
    return { status: error.status, headers: error.headers, body: bodyOf(error.message) }
  }
  const status = clientFaultStatus(error)
  if (status !== undefined) {
    const { code, message } = error as FastifyError
    return { status, headers: {}, body: bodyOf(fastifyMessages[code ?? ''] ?? message) }
  }
  const message = `Something went wrong on our side. The log says what, under the id ${id}.`
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

function bodyOf(error: string): ErrorBody {
  return { success: false, error }
}

interface FastifyError extends Error {
  code?: string
  statusCode?: number
}

/** Fastify's own refusals, in our words. */
const fastifyMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_BAD_URL: 'The path is not properly percent-encoded.',
}

/** The status of a refusal by Fastify that is the client's fault; undefined for all else. */
function clientFaultStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', statusCode = 500 } = error as FastifyError
  const isClientFault = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500
  return isClientFault ? statusCode : undefined
}
