import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import type { HttpAnswer } from '../http/http-exchange.ts'
import type { ApiAdapter, ApiVerdict } from './api-adapter.ts'
import { refusalFault } from './refusal-fault.ts'
import { retryAfterMs } from './retry-after.ts'

type Acceptance = Extract<ApiVerdict, { isAccepted: true }>

interface VerdictContext {
  readonly adapter: ApiAdapter
  readonly title: string
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now: number
  readonly recipientCount: number
}

const excerptLength = 300

/**
 * What a gateway answers that passed the request on and got no proper answer: HTTP's own two, and 520, 522 and 524 of
 * Cloudflare, which many providers are behind. Its 521, 523, 525 and 526 mean that it never reached them.
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const lostSightOf = new Set([502, 504, 520, 522, 524])

/**
 * Reads the answer to a message. Throws FaultError for a refusal, and an uncertain one where the
 * answer leaves open whether the provider has the message: a success that cannot be read, or a
 * gateway that lost sight of it.
 */
export function readVerdict(answer: HttpAnswer, context: VerdictContext): Acceptance {
  const verdict = safeRead(answer, context.adapter)
  if (verdict?.isAccepted) return verdict
  if (lostSightOf.has(answer.status)) throw lostSight(answer, context.title)
  if (verdict === undefined && answer.status < 300) throw unreadable(answer, context.title)
  const refusal = verdict ?? { isAccepted: false, text: excerpt(answer.body) }
  const fields = scopeOf(refusalFault(context.title, answer, refusal), context)
  const waitMs = fields.retryAfterMs ?? retryAfterMs(answer, context.now) ?? null
  throw new FaultError({ ...fields, retryAfterMs: waitMs })
}

/** Of several recipients a refused call does not say which was the one, so none of them is to blame. */
function scopeOf(fields: FaultFields, { recipientCount }: VerdictContext): FaultFields {
  return fields.scope === 'recipient' && recipientCount > 1
    ? { ...fields, scope: 'message' }
    : fields
}

/** An adapter may stumble over an answer that no provider documents; that is "unreadable" too. */
function safeRead(answer: HttpAnswer, adapter: ApiAdapter): ApiVerdict | undefined {
  try {
    return adapter.readAnswer(answer)
  } catch {
    return undefined
  }
}

function lostSight(answer: HttpAnswer, title: string): FaultError {
  return uncertain(answer, {
    code: 'server_fault',
    stage: 'request',
    message: `A gateway of ${title} answered with ${answer.status}; the message may have been sent.`,
  })
}

function unreadable(answer: HttpAnswer, title: string): FaultError {
  return uncertain(answer, {
    code: 'answer_unreadable',
    stage: 'request',
    message: `The answer is none that ${title} documents (HTTP status ${answer.status}); the message may have been sent.`,
  })
}

function uncertain(answer: HttpAnswer, fields: FaultFields): FaultError {
  const reply = {
    protocol: 'http',
    code: answer.status,
    enhancedCode: null,
    text: excerpt(answer.body),
  } as const
  const hint = "Look for the message in the provider's log before sending it again."
  return new FaultError({ hint, ...fields, reply }, { isUncertain: true })
}

/** The beginning of a body in one line; a page of HTML without its tags. */
function excerpt(body: string): string {
  return body
    .slice(0, 4 * excerptLength)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength)
}
