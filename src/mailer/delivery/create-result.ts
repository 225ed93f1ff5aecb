import type { Message } from '../message/message.ts'
import type { Attempt, DeliveryResult, RecipientResult } from './delivery-result.ts'
import type { Fault, Reply } from './fault.ts'
import { FaultError, type ImproveFault } from './fault-error.ts'
import type { Stage } from './stage.ts'

/** A message that the server accepted, for at least one recipient. */
export interface Accepted {
  /** The last step. */
  readonly stage: Stage
  readonly reply: Reply | null
  /** The fault of the first recipient that was refused. Default: none was. */
  readonly fault?: Fault | null
  /** Default: all of the envelope were accepted with `reply`. */
  readonly recipients?: readonly RecipientResult[]
  readonly messageId?: string | null
  readonly hasNotifications?: boolean
}

interface AttemptOptions {
  /** Scheme, host and port of the DSN. */
  readonly member: string
  /** Default: faults are shown as they are. */
  readonly improve?: ImproveFault
}

/** Sends a message through one transport, and makes the result of the acceptance or of the fault. */
export async function attempt(
  message: Message,
  { member, improve = (error) => error }: AttemptOptions,
  send: () => Promise<Accepted>,
): Promise<DeliveryResult> {
  const startedAt = performance.now()
  try {
    const { stage, reply, fault = null, ...accepted } = await send()
    const recipients = message.envelope.to.map((address): RecipientResult => {
      return { address, outcome: 'accepted', reply, isPermanent: false }
    })
    const durationMs = performance.now() - startedAt
    return createResult(
      { member, outcome: 'accepted', stage, reply, fault, durationMs },
      { recipients, ...accepted },
    )
  } catch (error) {
    if (!(error instanceof FaultError)) throw error
    const durationMs = performance.now() - startedAt
    return faultResult(improve(error), { member, message, durationMs })
  }
}

function createResult(
  attempted: Attempt,
  {
    recipients,
    messageId = null,
    hasNotifications = false,
  }: Pick<Accepted, 'messageId' | 'hasNotifications'> & Pick<DeliveryResult, 'recipients'>,
): DeliveryResult {
  const { outcome, fault } = attempted
  const isRefused = outcome === 'refused'
  return {
    ...attempted,
    recipients,
    messageId,
    hasNotifications,
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
