import { type HttpResponse, retryAfterMs } from '../connect/http-message.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import type { ApiAdapter, ApiResult } from './api-adapter.ts'
import { refusalFault } from './refusal.ts'

type Acceptance = Extract<ApiResult, { isAccepted: true }>

interface ApiResultContext {
  readonly adapter: ApiAdapter
  readonly title: string
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now: number
  readonly recipientCount: number
}

const excerptLength = 300

/**
 * The statuses of a gateway that forwarded the request and got no valid response: 502, 504, and 520, 522 and 524 of
 * Cloudflare, which many providers use. Its 521, 523, 525 and 526 mean that the request did not reach the provider.
 * @see https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const gatewayStatuses = new Set([502, 504, 520, 522, 524])

/**
 * Reads the response to a message.
 * @throws {FaultError} for a refusal. It is uncertain when the provider may have the message: for a 2xx that cannot be
 * read, and for an error of a gateway.
 */
export function readApiResult(response: HttpResponse, context: ApiResultContext): Acceptance {
  const result = safeRead(response, context.adapter)
  if (result?.isAccepted) return result
  if (gatewayStatuses.has(response.status)) throw gatewayFault(response, context.title)
  if (result === undefined && response.status < 300) throw unreadable(response, context.title)
  const refusal = result ?? { isAccepted: false, text: excerpt(response.body) }
  const fields = scopeOf(refusalFault(context.title, response, refusal), context)
  const waitMs = fields.retryAfterMs ?? retryAfterMs(response, context.now) ?? null
  throw new FaultError({ ...fields, retryAfterMs: waitMs })
}

/** With several recipients a refusal does not say which one caused it, so the fault is the message's. */
function scopeOf(fields: FaultFields, { recipientCount }: ApiResultContext): FaultFields {
  return fields.scope === 'recipient' && recipientCount > 1
    ? { ...fields, scope: 'message' }
    : fields
}

/** Reads a response. An adapter that throws on an undocumented response counts as "unreadable". */
function safeRead(response: HttpResponse, adapter: ApiAdapter): ApiResult | undefined {
  try {
    return adapter.readResponse(response)
  } catch {
    return undefined
  }
}

function gatewayFault(response: HttpResponse, title: string): FaultError {
  return uncertain(response, {
    code: 'server_fault',
    stage: 'request',
    message: `A gateway of ${title} answered with status ${response.status}; the message may have been sent.`,
  })
}

function unreadable(response: HttpResponse, title: string): FaultError {
  return uncertain(response, {
    code: 'answer_unreadable',
    stage: 'request',
    message: `The response is not in a format that ${title} documents (HTTP status ${response.status}); the message may have been sent.`,
  })
}

function uncertain(response: HttpResponse, fields: FaultFields): FaultError {
  const reply = {
    protocol: 'http',
    code: response.status,
    enhancedCode: null,
    text: excerpt(response.body),
  } as const
  const hint = "Look for the message in the provider's log before sending it again."
  return new FaultError({ hint, ...fields, reply }, { isUncertain: true })
}

/** Returns the start of a body in one line, without HTML tags. */
function excerpt(body: string): string {
  return body
    .slice(0, 4 * excerptLength)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength)
}
