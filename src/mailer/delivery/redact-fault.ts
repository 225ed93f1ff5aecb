import { FaultError } from './fault-error.ts'
import type { Redactor } from './redactor.ts'

/** The same fault with every secret blanked, in case a server repeats one. */
export function redactFault(error: FaultError, redact: Redactor): FaultError {
  const { fault, isUncertain } = error
  const reply = fault.reply === null ? null : { ...fault.reply, text: redact(fault.reply.text) }
  return new FaultError(
    { ...fault, message: redact(fault.message), reply },
    { cause: error.cause, isUncertain },
  )
}
