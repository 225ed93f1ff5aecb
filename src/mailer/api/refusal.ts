import type { HttpResponse } from '../connect/http-message.ts'
import type { FaultCode, FaultScope } from '../delivery/fault.ts'
import type { FaultFields } from '../delivery/fault-error.ts'
import type { ApiResult, RefusalKind } from './api-adapter.ts'

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

type Refusal = Extract<ApiResult, { isAccepted: false }>

interface RefusalMeaning {
  readonly code: FaultCode
  readonly scope: FaultScope
  readonly isPermanent: boolean
  readonly says: string
  readonly hint: string
}

const meanings: Record<RefusalKind, RefusalMeaning> = {
  credentials: {
    code: 'credentials_refused',
    scope: 'member',
    isPermanent: false,
    says: 'does not accept the credentials',
    hint: 'Check the key in the DSN, its permissions, and the region or domain that it belongs to.',
  },
  quota: {
    code: 'quota_exceeded',
    scope: 'member',
    isPermanent: false,
    says: 'refuses to send more for this account',
    hint: "Check the account's plan, balance and sending limits at the provider.",
  },
  throttled: {
    code: 'throttled',
    scope: 'member',
    isPermanent: false,
    says: 'accepts no more messages at the moment',
    hint: 'Sending limit reached; slow down with max_per_second.',
  },
  too_large: {
    code: 'too_large',
    scope: 'message',
    isPermanent: true,
    says: 'refused the message as too large',
    hint: 'Send smaller attachments, or link to them.',
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
    scope: 'member',
    isPermanent: false,
    says: 'reports an internal error',
    hint: "Try again later; look at the provider's status page.",
  },
}

/** Creates the fault of a refusal. Its kind comes from the adapter, otherwise from the HTTP status. */
export function refusalFault(title: string, response: HttpResponse, refusal: Refusal): FaultFields {
  const { says, ...meaning } = meanings[refusal.kind ?? kindOf(response.status)]
  const { text, code } = refusal
  return {
    ...meaning,
    stage: 'request',
    message: `${title} ${says}: ${text === '' ? `HTTP status ${response.status}` : text}`,
    reply: { protocol: 'http', code: response.status, enhancedCode: code ?? null, text },
    retryAfterMs: refusal.retryAfterMs ?? null,
  }
}

/** Derives the kind of a refusal from the HTTP status. A 404 or 405 is a wrong path, so a fault of the member. */
export function kindOf(status: number): RefusalKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 402) return 'quota'
  if (status === 413) return 'too_large'
  if (status === 429) return 'throttled'
  if (status === 404 || status === 405 || status === 408 || status === 425) return 'provider'
  return status >= 400 && status < 500 ? 'message' : 'provider'
}
