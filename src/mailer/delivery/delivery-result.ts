import type { Fault } from './fault.ts'
import type { Reply } from './reply.ts'
import type { Stage } from './stage.ts'

/**
 * `accepted`: the server took responsibility for the message, for at least one recipient.
 * `refused`: no server has the message; it was told so, or never had the message whole.
 * `uncertain`: the message's last byte was on its way and no answer came. It may have arrived.
 */
export type Outcome = 'accepted' | 'refused' | 'uncertain'

/** What became of one recipient. */
export interface RecipientResult {
  readonly address: string
  readonly outcome: Outcome
  readonly reply: Reply | null
  readonly isPermanent: boolean
}

/** What one transport made of the message. */
export interface Attempt {
  /** Scheme, host and port, without user: `smtp://mail.example.com:587`. */
  readonly member: string
  readonly outcome: Outcome
  /** How far it got: the step of the fault, or the last step. */
  readonly stage: Stage
  /** The server's last word on the message. */
  readonly reply: Reply | null
  /** Null when accepted. */
  readonly fault: Fault | null
  readonly durationMs: number
}

/** What became of a message. No secret is in it. */
export interface DeliveryResult extends Attempt {
  /** In the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** The server's own id for the message, where it gives one. */
  readonly messageId: string | null
  /** The same message may be sent again without a recipient getting it twice: it was `refused`. */
  readonly isRetrySafe: boolean
  /** It was refused for good: trying again is useless. */
  readonly isPermanent: boolean
  /** When trying again is worth while, from now; null when nobody knows. */
  readonly retryAfterMs: number | null
  /** Every member that was tried, in order; one for a single transport. */
  readonly attempts: readonly Attempt[]
}
