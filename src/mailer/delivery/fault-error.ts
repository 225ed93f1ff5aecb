import type { RecipientResult } from './delivery-result.ts'
import type { Fault, FaultCode } from './fault.ts'
import { generalHints } from './general-hints.ts'
import type { Stage } from './stage.ts'

/** What a fault is made of; what is left out is the common case: the member's fault, not for good. */
export interface FaultFields extends Partial<Omit<Fault, 'code' | 'stage' | 'message'>> {
  readonly code: FaultCode
  readonly stage: Stage
  readonly message: string
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

/** What a FaultError may carry beside its fault. */
export interface FaultErrorOptions {
  /** The raw thing, for the log only. */
  readonly cause?: unknown
  /** Whether the message's last byte was on its way, so that it may have arrived. Default: no. */
  readonly isUncertain?: boolean
  /** Where each recipient was refused for himself: what became of each. */
  readonly recipients?: readonly RecipientResult[] | undefined
}

/** Carries a fault up to the transport that turns it into a result. */
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
