import type { RecipientResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { joinSentences } from '../delivery/join-sentences.ts'
import type { Reply } from '../delivery/reply.ts'
import { sharedLot } from '../delivery/result.ts'
import type { Message } from '../message/message.ts'
import { recipientCommand } from './envelope-commands.ts'
import { recipientFault } from './message-fault.ts'
import { isPositive, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** One recipient of a transaction: its command, and what became of it. */
export class RecipientPlan {
  /** Undefined when the server cannot take the address, so that it is not asked. */
  readonly command: string | undefined
  readonly address: string
  readonly #session: SmtpSession
  #fault: FaultError | undefined

  constructor(address: string, message: Message, session: SmtpSession) {
    this.address = address
    this.#session = session
    try {
      this.command = recipientCommand(address, message, session)
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      this.#fault = error
    }
  }

  /** Why it was refused; undefined while it is not. */
  get fault(): FaultError | undefined {
    return this.#fault
  }

  /** Its lot where it was refused, whatever becomes of the message; undefined while it is not. */
  get refusal(): RecipientResult | undefined {
    return this.#fault === undefined ? undefined : refusedRecipient(this.address, this.#fault)
  }

  /** Takes the server's reply. Throws FaultError where it is about the whole server. */
  settle(reply: SmtpReply): void {
    if (isPositive(reply)) return
    this.#fault = recipientFault(this.#session, reply, this.address)
    if (this.#fault.fault.scope === 'member') throw this.#fault
  }

  /** Its lot in a message that was accepted with `reply`. */
  result(reply: Reply): RecipientResult {
    return this.refusal ?? { address: this.address, outcome: 'accepted', reply, isPermanent: false }
  }
}

/** A fault of the rest of the message, with the lots of those who were refused for themselves before it. */
export function besideRefusals(error: unknown, plans: readonly RecipientPlan[]): unknown {
  if (!(error instanceof FaultError) || error.recipients !== undefined) return error
  if (plans.every(({ refusal }) => refusal === undefined)) return error
  const { fault, isUncertain, cause } = error
  const recipients = plans.map((plan) => plan.refusal ?? sharedLot(plan.address, error))
  return new FaultError(fault, { cause, isUncertain, recipients })
}

/** Plans the recipients of a message, in the order of the envelope. */
export function planRecipients(message: Message, session: SmtpSession): RecipientPlan[] {
  return message.envelope.to.map((address) => new RecipientPlan(address, message, session))
}

function refusedRecipient(address: string, { fault }: FaultError): RecipientResult {
  return { address, outcome: 'refused', reply: fault.reply, isPermanent: fault.isPermanent }
}

/** The fault of a message none of whose recipients was accepted; the sentence says of each why. */
export function refusedByAll(plans: readonly RecipientPlan[]): FaultError {
  const faults = plans.flatMap(({ fault }) => (fault === undefined ? [] : [fault.fault]))
  const [first] = faults
  if (first === undefined) throw new Error('No recipient was refused.')
  if (faults.length === 1) return new FaultError(first)
  return new FaultError(
    {
      ...first,
      message: joinSentences([
        `All ${faults.length} recipients were refused.`,
        ...faults.map(({ message }) => message),
      ]),
      // Some may be accepted later.
      isPermanent: faults.every(({ isPermanent }) => isPermanent),
    },
    { recipients: plans.flatMap(({ refusal }) => refusal ?? []) },
  )
}
