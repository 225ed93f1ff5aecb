import type { RecipientResult } from './delivery-result.ts'
import type { Fault, FaultCode } from './fault.ts'
import { generalHints } from './general-hints.ts'
import type { Redactor } from './redactor.ts'
import type { Stage } from './stage.ts'

/** The fields of a new fault. By default it is a temporary fault of the member. */
export interface FaultFields extends Partial<Omit<Fault, 'code' | 'stage' | 'message'>> {
  readonly code: FaultCode
  readonly stage: Stage
  readonly message: string
}

/** What a FaultError carries beside its fault. */
interface FaultErrorOptions {
  /** The original error, for the log only. */
  readonly cause?: unknown
  /** Whether the last byte of the message was sent, so that it may have arrived. Default: no. */
  readonly isUncertain?: boolean
  /** The result of each recipient, when they differ. */
  readonly recipients?: readonly RecipientResult[] | undefined
}

/** Carries a fault to the transport, which makes a result of it. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
  readonly fault: Fault
  readonly isUncertain: boolean
  readonly recipients: readonly RecipientResult[] | undefined

  constructor(fields: FaultFields, options: FaultErrorOptions = {}) {
    const { cause, isUncertain = false, recipients } = options
    super(fields.message, cause === undefined ? undefined : { cause })
    this.fault = createFault(fields)
    this.isUncertain = isUncertain
    this.recipients = recipients
  }
}

/**
 * Creates the fault of a delivery that the caller cancelled.
 * @param when Ends the sentence, such as `while connecting`.
 */
export function cancelledFault(stage: Stage, when?: string): FaultError {
  const message = `The delivery was cancelled${when === undefined ? '' : ` ${when}`}.`
  return new FaultError({ code: 'cancelled', scope: 'message', stage, message })
}

/** Completes a fault. */
export function createFault(fields: FaultFields): Fault {
  return {
    scope: 'member',
    hint: generalHints[fields.code],
    reply: null,
    isPermanent: false,
    retryAfterMs: null,
    ...fields,
  }
}

/** Prepares a fault for showing: masks secrets and adds the provider's own hint. */
export type ImproveFault = (error: FaultError) => FaultError

/** Masks the secrets of a fault, and replaces the general hint by a better one. */
export function improveFault(
  { fault, isUncertain, cause, recipients }: FaultError,
  redact: Redactor,
  hint: string | undefined,
): FaultError {
  const reply = fault.reply === null ? null : { ...fault.reply, text: redact(fault.reply.text) }
  return new FaultError(
    { ...fault, message: redact(fault.message), hint: hint ?? fault.hint, reply },
    { cause, isUncertain, recipients },
  )
}

/**
 * Returns a fault whose message may have been sent all the same.
 * @param doubt What may have happened, after the sentence of the fault: `the message may have arrived`.
 */
export function uncertainFault(
  { fault, cause }: FaultError,
  { doubt, hint }: { doubt: string; hint: string },
): FaultError {
  const message = `${fault.message.replace(/\.$/, '')}; ${doubt}.`
  return new FaultError({ ...fault, message, hint }, { cause, isUncertain: true })
}

/**
 * Joins sentences with spaces. Skips missing ones and ends each with a full stop, since a server's words may lack it.
 */
export function joinSentences(sentences: readonly (string | null | undefined)[]): string {
  return sentences.flatMap((sentence) => (sentence ? [ended(sentence)] : [])).join(' ')
}

function ended(sentence: string): string {
  return /[.!?…]["')\]]?$/.test(sentence) ? sentence : `${sentence}.`
}
