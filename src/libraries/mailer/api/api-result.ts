import { type HttpResponse, retryAfterMs } from '../connect/http-message.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import type { ApiAdapter, ApiResult, RefusalKind } from './api-adapter.ts'
import { textOf } from './json.ts'

/** Creates the result of an accepted message. Without the provider's id, the response is unreadable. */
export function acceptedAs(id: unknown): ApiResult | undefined {
  const messageId = textOf(id)
  return messageId === '' ? undefined : { isAccepted: true, messageId }
}

/** Optional facts of a refusal. */
interface RefusalFields {
  /** The provider's own code; '' when there is none. */
  readonly code?: string
  /** Undefined when the HTTP status is sufficient. */
  readonly kind?: RefusalKind | undefined
}

/** Creates the result of a message that the provider refused. `text` is the provider's own text. */
export function refused(text: string, { code = '', kind }: RefusalFields = {}): ApiResult {
  return {
    isAccepted: false,
    text,
    ...(code === '' ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
  }
}

/** A kind of refusals and its signs: one of the codes, if it has any; one of the HTTP statuses, if any; and every pattern. */
type KindRule = readonly [kind: RefusalKind, ...signs: (string | number | RegExp)[]]

/** A refusal, for its signs. */
export interface RefusalSigns {
  readonly status: number
  readonly code?: string
  readonly text?: string
}

/** A server can write much more than a provider does, and some patterns take the square of its length. */
const readLength = 4_000

/** Creates the function that finds the kind of a refusal: that of the first rule that fits. */
export function kindsBy(...rules: readonly KindRule[]) {
  return ({ status, code = '', text = '' }: RefusalSigns): RefusalKind | undefined => {
    const start = text.slice(0, readLength)
    return rules.find(([, ...signs]) => {
      const codes = signs.filter((sign) => typeof sign === 'string')
      const statuses = signs.filter((sign) => typeof sign === 'number')
      return (
        (codes.length === 0 || codes.includes(code)) &&
        (statuses.length === 0 || statuses.includes(status)) &&
        signs.every((sign) => !(sign instanceof RegExp) || sign.test(start))
      )
    })?.[0]
  }
}

/** Returns whether a refusal is about the sender or a recipient, from the names of the fields that it is about. */
export function kindOfFields(
  names: readonly string[],
  { sender = /^from/, recipient = /^(to|cc|bcc)\b/ }: { sender?: RegExp; recipient?: RegExp } = {},
): RefusalKind | undefined {
  if (names.some((name) => sender.test(name))) return 'sender'
  return names.some((name) => recipient.test(name)) ? 'recipient' : undefined
}

/** What the provider says of a message that it accepted. */
export type ApiAcceptance = Extract<ApiResult, { isAccepted: true }>

interface ApiResultContext {
  readonly adapter: ApiAdapter
  readonly title: string
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now: number
  readonly recipientCount: number
}

const excerptLength = 300

/** The hint of every delivery through an API that may have succeeded. */
export const seeProviderLog = "Look for the message in the provider's log before sending it again."

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
export function readApiResult(response: HttpResponse, context: ApiResultContext): ApiAcceptance {
  const result = safeRead(response, context.adapter)
  if (result?.isAccepted) return result
  if (gatewayStatuses.has(response.status)) throw gatewayFault(response, context.title)
  if (result === undefined && response.status < 300) throw unreadable(response, context.title)
  const refusal: ApiRefusal = result ?? { isAccepted: false, text: excerpt(response.body) }
  const fields = refusalFault(context.title, response, refusal)
  // With several recipients a refusal does not say which one caused it.
  const isOfMessage = fields.scope === 'recipient' && context.recipientCount > 1
  throw new FaultError({
    ...fields,
    ...(isOfMessage && { scope: 'message' }),
    retryAfterMs: refusal.retryAfterMs ?? retryAfterMs(response, context.now) ?? null,
  })
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
  return new FaultError({ hint: seeProviderLog, ...fields, reply }, { isUncertain: true })
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

type ApiRefusal = Extract<ApiResult, { isAccepted: false }>

interface RefusalMeaning extends Pick<FaultFields, 'code' | 'scope' | 'isPermanent' | 'hint'> {
  readonly says: string
}

const meanings: Record<RefusalKind, RefusalMeaning> = {
  credentials: { code: 'credentials_refused', says: 'does not accept the credentials' },
  quota: { code: 'quota_exceeded', says: 'refuses to send more for this account' },
  throttled: { code: 'throttled', says: 'accepts no more messages at the moment' },
  too_large: {
    code: 'too_large',
    scope: 'message',
    isPermanent: true,
    says: 'refused the message as too large',
  },
  sender: {
    code: 'sender_refused',
    scope: 'message',
    isPermanent: true,
    says: 'does not let this account send as this sender',
    hint: 'Verify the domain or the sender at the provider.',
  },
  recipient: {
    code: 'recipient_refused',
    scope: 'recipient',
    isPermanent: true,
    says: 'refused the recipient',
    hint: 'Check the address; the provider may also have it on its suppression list.',
  },
  message: {
    code: 'message_refused',
    scope: 'message',
    isPermanent: true,
    says: 'refused the message',
    hint: "The provider's error says which part. Correct it, or look into the provider's log for more.",
  },
  provider: {
    code: 'server_fault',
    says: 'reports an internal error',
    hint: "Try again later; look at the provider's status page.",
  },
}

/** Creates the fault of a refusal. Its kind comes from the adapter, otherwise from the HTTP status. */
function refusalFault(title: string, response: HttpResponse, refusal: ApiRefusal): FaultFields {
  const { says, ...meaning } = meanings[refusal.kind ?? kindOf(response.status)]
  const { text, code } = refusal
  return {
    ...meaning,
    stage: 'request',
    message: `${title} ${says}: ${text === '' ? `HTTP status ${response.status}` : text}`,
    reply: { protocol: 'http', code: response.status, enhancedCode: code ?? null, text },
  }
}

/** Derives the kind of a refusal from the HTTP status. A 404 or 405 is a wrong path, so a fault of the member. */
function kindOf(status: number): RefusalKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 402) return 'quota'
  if (status === 413) return 'too_large'
  if (status === 429) return 'throttled'
  if (status === 404 || status === 405 || status === 408 || status === 425) return 'provider'
  return status >= 400 && status < 500 ? 'message' : 'provider'
}
