import type { Reply } from './reply.ts'
import type { Stage } from './stage.ts'

/** What went wrong, for programs. */
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
  | 'transport_closed'
  | 'members_out'
  // Provider APIs
  | 'credentials_refused'
  | 'quota_exceeded'
  | 'redirected'
  | 'answer_unreadable'

/**
 * Whose fault it is. A `member` fault is one of the transport (it cannot be reached, does not let us
 * in, is throttled or broken): another message would fail alike, another transport may do. A fault
 * of the `message` or a `recipient` stays with that mail and never takes a transport out.
 */
export type FaultScope = 'member' | 'message' | 'recipient'

/** Why a delivery did not happen, explained to the person who can mend it. No secret is in it. */
export interface Fault {
  readonly code: FaultCode
  readonly scope: FaultScope
  readonly stage: Stage
  /** One sentence that says what happened. */
  readonly message: string
  /** What to do about it, one or two sentences. */
  readonly hint: string
  readonly reply: Reply | null
  /** Whether the same message would be refused however often it is tried. Never for a `member` fault. */
  readonly isPermanent: boolean
  /** When it is worth trying again, from now; null when the server did not say. */
  readonly retryAfterMs: number | null
}
