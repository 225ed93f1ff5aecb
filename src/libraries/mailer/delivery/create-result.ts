import { startStopwatch } from '../../../kit/clock.ts'
import { type Envelope, isMailAddress, type Message } from '../message/message.ts'
import type { Attempt, DeliveryResult, RecipientResult } from './delivery-result.ts'
import type { Fault, ServerReply } from './fault.ts'
import { FaultError, type ImproveFault } from './fault-error.ts'
import type { Stage } from './stage.ts'
import type { SendOptions } from './transport.ts'

/** A message that the server accepted, for at least one recipient. */
export interface Accepted {
  /** The last step. */
  readonly stage: Stage
  readonly reply: ServerReply | null
  /** The fault of the first recipient that was refused. Default: none was. */
  readonly fault?: Fault | null
  /** Default: all of the envelope were accepted with `reply`. */
  readonly recipients?: readonly RecipientResult[]
  readonly messageId?: string | null
}

interface AttemptOptions {
  /** Scheme, host and port of the DSN. */
  readonly member: string
  /** Default: faults are shown as they are. */
  readonly improve?: ImproveFault
  readonly options?: SendOptions | undefined
}

/**
 * Sends a message through one transport, and makes the result of the acceptance or of the fault. A message with an
 * unsafe envelope is not sent. An unexpected error is a fault, too, until `send` has asked `isLeaseValid`; later it is thrown.
 */
export async function attempt(
  message: Message,
  { member, improve = (error) => error, options = {} }: AttemptOptions,
  send: (options: SendOptions) => Promise<Accepted>,
): Promise<DeliveryResult> {
  const elapsedMs = startStopwatch()
  let mayBeSent = false
  const isLeaseValid = () => {
    const isValid = options.isLeaseValid?.() !== false
    mayBeSent ||= isValid
    return isValid
  }
  try {
    checkEnvelope(message.envelope)
    const accepted = await send({ ...options, isLeaseValid })
    const { stage, reply, fault = null, messageId = null } = accepted
    const recipients =
      accepted.recipients ??
      message.envelope.to.map((address): RecipientResult => {
        return { address, outcome: 'accepted', reply, isPermanent: false }
      })
    return createResult(
      { member, outcome: 'accepted', stage, reply, fault, durationMs: elapsedMs() },
      { recipients, messageId },
    )
  } catch (error) {
    if (!(error instanceof FaultError) && mayBeSent) throw error
    const fault = error instanceof FaultError ? error : unexpectedFault(error)
    return faultResult(improve(fault), { member, message, durationMs: elapsedMs() })
  }
}

/** Its message may hold a secret, and is not shown. */
function unexpectedFault(cause: unknown): FaultError {
  const name = cause instanceof Error ? cause.name : typeof cause
  const message = `The message was not sent: an unexpected ${name}, before the server could receive it.`
  return new FaultError({ code: 'server_fault', stage: 'connect', message }, { cause })
}

/**
 * Checks that an envelope is safe to send. It refuses an envelope without recipients, and addresses that
 * `isMailAddress` refuses.
 * @throws {FaultError} a permanent fault of the message.
 */
function checkEnvelope({ from, to }: Envelope): void {
  if (to.length === 0) throw invalid('recipient', 'The message has no recipient.')
  if (from !== '') checkAddress('sender', from)
  for (const address of to) checkAddress('recipient', address)
}

function checkAddress(stage: 'sender' | 'recipient', address: string): void {
  if (isMailAddress(address)) return
  const direction = stage === 'sender' ? 'from' : 'to'
  throw invalid(stage, `"${shown(address)}" is not an address that mail can be sent ${direction}.`)
}

function shown(address: string): string {
  return address.slice(0, 80).replace(/[\p{Cc}"]/gu, '?')
}

function invalid(stage: 'sender' | 'recipient', message: string): FaultError {
  return new FaultError({
    code: 'address_invalid',
    scope: 'message',
    stage,
    message,
    hint: 'Write it as name@example.com.',
    isPermanent: true,
  })
}

function createResult(
  attempted: Attempt,
  {
    recipients,
    messageId = null,
  }: Pick<Accepted, 'messageId'> & Pick<DeliveryResult, 'recipients'>,
): DeliveryResult {
  const { outcome, fault } = attempted
  const isRefused = outcome === 'refused'
  return {
    ...attempted,
    recipients,
    messageId,
    isRetrySafe: isRefused,
    isPermanent: isRefused && fault?.isPermanent === true,
    retryAfterMs: isRefused ? (fault?.retryAfterMs ?? null) : null,
    attempts: [attempted],
  }
}

/** Makes the result of a delivery that failed. Recipients without a result of their own share the fault. */
export function faultResult(
  error: FaultError,
  { member, message, durationMs }: { member: string; message: Message; durationMs: number },
): DeliveryResult {
  const { fault, isUncertain, recipients } = error
  const outcome = isUncertain ? 'uncertain' : 'refused'
  return createResult(
    { member, outcome, stage: fault.stage, reply: fault.reply, fault, durationMs },
    {
      recipients:
        recipients ?? message.envelope.to.map((address) => failedRecipient(address, error)),
    },
  )
}

/** Makes the result of a recipient whose message failed. */
export function failedRecipient(
  address: string,
  { fault, isUncertain }: FaultError,
): RecipientResult {
  return {
    address,
    outcome: isUncertain ? 'uncertain' : 'refused',
    reply: fault.reply,
    isPermanent: !isUncertain && fault.isPermanent,
  }
}
