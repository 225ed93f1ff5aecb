import type { RecipientResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { Reply } from '../delivery/reply.ts'
import type { Message } from '../message/message.ts'
import { recipientCommand } from './envelope-commands.ts'
import { recipientFault } from './message-fault.ts'
import { isPositive, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** One recipient of a transaction: its command, and what became of it. */
export interface RecipientPlan {
  /** Undefined when the server cannot take the address, so that it is not asked. */
  readonly command: string | undefined
  /** Why it was refused; undefined while it is not. */
  readonly fault: FaultError | undefined
  /** Its lot where it was refused, whatever becomes of the message; undefined while it is not. */
  readonly refusal: RecipientResult | undefined
  /** Takes the server's reply. Throws FaultError where it is about the whole server. */
  settle(reply: SmtpReply): void
  /** Its lot in a message that was accepted with `reply`. */
  result(reply: Reply): RecipientResult
}

/** Plans the recipients of a message, in the order of the envelope. */
export function planRecipients(message: Message, session: SmtpSession): RecipientPlan[] {
  return message.envelope.to.map((address) => {
    let command: string | undefined
    let fault: FaultError | undefined
    try {
      command = recipientCommand(address, message, session)
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      fault = error
    }
    return {
      command,
      get fault() {
        return fault
      },
      get refusal() {
        return fault === undefined ? undefined : refusedRecipient(address, fault)
      },
      settle(reply) {
        if (isPositive(reply)) return
        fault = recipientFault(session, reply, address)
        if (fault.fault.scope === 'member') throw fault
      },
      result: (reply) => recipientResult(address, fault, reply),
    }
  })
}

function recipientResult(
  address: string,
  refusal: FaultError | undefined,
  reply: Reply,
): RecipientResult {
  if (refusal === undefined) return { address, outcome: 'accepted', reply, isPermanent: false }
  return refusedRecipient(address, refusal)
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
      message: `All ${faults.length} recipients were refused. ${faults.map(({ message }) => message).join(' ')}`,
      // Some may be accepted later.
      isPermanent: faults.every(({ isPermanent }) => isPermanent),
    },
    { recipients: plans.flatMap(({ refusal }) => refusal ?? []) },
  )
}
