import type { Fault } from './fault.ts'
import { FaultError } from './fault-error.ts'
import type { Redactor } from './redactor.ts'

/** Makes a fault fit to be shown: secrets blanked, the provider's own advice where it has some. */
export type ImproveFault = (error: FaultError) => FaultError

/** Better advice than the general one; undefined where there is none. */
export type Advise = (fault: Fault) => string | undefined

/** Makes the function that every fault of a transport passes on its way out. */
export function createImproveFault(
  redact: Redactor,
  advise: Advise = () => undefined,
): ImproveFault {
  return ({ fault, isUncertain, cause, recipients }) => {
    const reply = fault.reply === null ? null : { ...fault.reply, text: redact(fault.reply.text) }
    const hint = advise(fault) ?? fault.hint
    return new FaultError(
      { ...fault, message: redact(fault.message), hint, reply },
      { cause, isUncertain, recipients },
    )
  }
}
