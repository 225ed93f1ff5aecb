import type { FaultCode, FaultScope } from '../delivery/fault.ts'
import type { FaultFields } from '../delivery/fault-error.ts'
import type { HttpAnswer } from '../http/http-exchange.ts'
import type { ApiVerdict, RefusalKind } from './api-adapter.ts'

type Refusal = Extract<ApiVerdict, { isAccepted: false }>

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
    says: 'does not send more for this account',
    hint: "Check the account's plan, balance and sending limits at the provider.",
  },
  throttled: {
    code: 'throttled',
    scope: 'member',
    isPermanent: false,
    says: 'takes no more messages just now',
    hint: 'Sending limit reached; slow down with max_per_second.',
  },
  too_large: {
    code: 'too_large',
    scope: 'message',
    isPermanent: true,
    says: 'finds the message too large',
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
    hint: 'The words of the provider say which part. Correct it, or look into its log for more.',
  },
  provider: {
    code: 'server_fault',
    scope: 'member',
    isPermanent: false,
    says: 'has a fault of its own',
    hint: "Try again later; look at the provider's status page.",
  },
}

/** The fault of a refusal: what it is about comes from the adapter or else from the status. */
export function refusalFault(title: string, answer: HttpAnswer, refusal: Refusal): FaultFields {
  const { says, ...meaning } = meanings[refusal.kind ?? kindOf(answer.status)]
  const { text, code } = refusal
  return {
    ...meaning,
    stage: 'request',
    message: `${title} ${says}: ${text === '' ? `HTTP status ${answer.status}` : text}`,
    reply: { protocol: 'http', code: answer.status, enhancedCode: code ?? null, text },
    retryAfterMs: refusal.retryAfterMs ?? null,
  }
}

/** What a status alone is about; a 404 or 405 is a wrong path, so the member's. */
export function kindOf(status: number): RefusalKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 402) return 'quota'
  if (status === 413) return 'too_large'
  if (status === 429) return 'throttled'
  if (status === 404 || status === 405 || status === 408 || status === 425) return 'provider'
  return status >= 400 && status < 500 ? 'message' : 'provider'
}
