import type { Fault, ServerReply } from './fault.ts'
import type { Stage } from './stage.ts'

/**
 * How a delivery ended.
 *
 * - `accepted`: the server took responsibility for the message, for at least one recipient.
 * - `refused`: no server has the message. The server refused it, or never received its last byte.
 * - `uncertain`: the last byte was sent and no reply came. The message may have arrived.
 * @example
 * ```ts
 * const label: Record<SendOutcome, string> = {
 *   accepted: 'sent',
 *   refused: 'not sent',
 *   uncertain: 'check the log of the server',
 * }
 * ```
 */
export type SendOutcome = 'accepted' | 'refused' | 'uncertain'

/**
 * The result for one recipient.
 * @example
 * ```ts
 * const refusedAddresses = (recipients: readonly RecipientResult[]) =>
 *   recipients.filter(({ outcome }) => outcome === 'refused').map(({ address }) => address)
 * ```
 */
export interface RecipientResult {
  readonly address: string
  readonly outcome: SendOutcome
  readonly reply: ServerReply | null
  readonly isPermanent: boolean
  /**
   * Set if the guard of the mailer does not allow the recipient: no server was asked. Instead of the transport it names the
   * inbox and the id that it gave to the message; null if it did not capture it.
   */
  readonly guarded?: { readonly member: string; readonly inboxId: string | null }
}

/**
 * The attempt to send a message through one transport.
 * @example
 * ```ts
 * const logLine = ({ member, outcome, stage, durationMs }: Attempt) =>
 *   `${member} ${outcome} at ${stage} after ${Math.round(durationMs)} ms`
 * ```
 */
export interface Attempt {
  /** Scheme, host and port, without user: `smtp://mail.example.com:587`. */
  readonly member: string
  readonly outcome: SendOutcome
  /** The step that failed, or the last step. */
  readonly stage: Stage
  /** The server's final reply to the message. */
  readonly reply: ServerReply | null
  /**
   * Null when accepted. Over SMTP a message that only some recipients accepted has the fault of the first refused
   * one.
   */
  readonly fault: Fault | null
  readonly durationMs: number
}

/**
 * The result of sending a message. It holds no secret.
 * @example
 * ```ts
 * const describe = (result: DeliveryResult) =>
 *   result.outcome === 'accepted'
 *     ? `Sent as ${result.messageId ?? 'unknown id'}.`
 *     : `${result.fault?.message} ${result.isRetrySafe ? 'It may be sent again.' : ''}`
 * ```
 */
export interface DeliveryResult extends Attempt {
  /** In the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** The server's own id for the message, when the server names one. */
  readonly messageId: string | null
  /** Whether the message may be sent again without a recipient getting it twice: the outcome is `refused`. */
  readonly isRetrySafe: boolean
  /** Whether the refusal is permanent, so that another attempt is useless. */
  readonly isPermanent: boolean
  /** Milliseconds until another attempt makes sense; null when unknown. */
  readonly retryAfterMs: number | null
  /** Every member that was tried, in order; one for a single transport. */
  readonly attempts: readonly Attempt[]
}
