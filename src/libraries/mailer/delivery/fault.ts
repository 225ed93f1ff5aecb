import type { Stage } from './stage.ts'

/**
 * A server's reply, with secrets masked. For `smtp`, `code` is the reply code and `enhancedCode` the enhanced status
 * code. For `http`, `code` is the status and `enhancedCode` the provider's error code.
 * @see RFC 5321, section 4.2 (reply codes); RFC 3463 (enhanced status codes such as `5.7.1`)
 * @example
 * ```ts
 * const isGreylisted = ({ protocol, code }: ServerReply) => protocol === 'smtp' && code === 450
 * ```
 */
export interface ServerReply {
  readonly protocol: 'smtp' | 'http' | 'command' | 'inbox'
  readonly code: number
  readonly enhancedCode: string | null
  /** The text without the codes; lines are joined by a space. */
  readonly text: string
}

/**
 * Quotes a reply for a sentence.
 * @example
 * ```ts
 * quoteReply({ protocol: 'smtp', code: 550, enhancedCode: '5.1.1', text: 'No such user' }) // 550 5.1.1 No such user
 * ```
 */
export function quoteReply({ code, enhancedCode, text }: ServerReply): string {
  return [String(code), enhancedCode, text].filter(Boolean).join(' ')
}

/**
 * What went wrong, for programs. People read the fault's `message` and `hint`.
 * @example
 * ```ts
 * const wrongCredentials: FaultCode[] = ['login_refused', 'credentials_refused', 'password_missing']
 * const needsNewPassword = ({ code }: Fault) => wrongCredentials.includes(code)
 * ```
 */
export type FaultCode =
  // Before the session
  | 'host_not_found'
  | 'lookup_failed'
  | 'address_blocked'
  | 'port_blocked'
  | 'source_forbidden'
  | 'connection_refused'
  | 'no_answer'
  | 'unreachable'
  // TLS
  | 'tls_not_spoken'
  | 'certificate_untrusted'
  | 'certificate_wrong_name'
  | 'certificate_expired'
  | 'certificate_wrong_fingerprint'
  | 'tls_outdated'
  | 'tls_failed'
  | 'starttls_missing'
  | 'starttls_refused'
  // Session and log-in
  | 'greeting_missing'
  | 'greeting_busy'
  | 'greeting_refused'
  | 'not_smtp'
  | 'name_refused'
  | 'login_not_offered'
  | 'login_refused'
  | 'token_refused'
  | 'login_unavailable'
  | 'password_missing'
  | 'login_required'
  | 'tls_required'
  // Message
  | 'address_invalid'
  | 'utf8_unsupported'
  | 'too_many_recipients'
  | 'sender_refused'
  | 'relay_denied'
  | 'recipient_unknown'
  | 'recipient_refused'
  | 'recipient_deferred'
  | 'too_large'
  | 'message_refused'
  | 'deferred'
  | 'throttled'
  // Anywhere
  | 'server_busy'
  | 'server_fault'
  | 'connection_closed'
  | 'stalled'
  | 'protocol_violated'
  | 'cancelled'
  | 'lease_expired'
  | 'transport_closed'
  | 'members_out'
  // Provider APIs
  | 'credentials_refused'
  | 'quota_exceeded'
  | 'redirected'
  | 'answer_unreadable'

/**
 * What a fault is about. `member`: the transport cannot be reached, refuses the log-in, is throttled or broken; another
 * message would fail too, another transport may work. `message` and `recipient`: only this email fails, and the
 * transport stays in use.
 * @example
 * ```ts
 * const scope: FaultScope = 'member'
 * const mayTryOtherTransport = (fault: Fault) => fault.scope === scope
 * ```
 */
export type FaultScope = 'member' | 'message' | 'recipient'

/**
 * Why a delivery failed, explained to the person who can fix it. It holds no secret.
 * @example
 * ```ts
 * const explain = ({ stage, message, hint }: Fault) => `${stage}: ${message} ${hint}`
 * ```
 */
export interface Fault {
  readonly code: FaultCode
  readonly scope: FaultScope
  readonly stage: Stage
  /** One sentence that says what happened. */
  readonly message: string
  /** What to do about it, in one or two sentences. */
  readonly hint: string
  readonly reply: ServerReply | null
  /** Whether every further attempt with this message will be refused. Always false for a `member` fault. */
  readonly isPermanent: boolean
  /** Milliseconds until another attempt makes sense; null when the server did not say. */
  readonly retryAfterMs: number | null
}
