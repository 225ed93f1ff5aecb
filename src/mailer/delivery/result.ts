import type { Message } from '../message/message.ts'
import type { Attempt, DeliveryResult, Outcome, RecipientResult } from './delivery-result.ts'
import type { Fault } from './fault.ts'
import type { FaultError } from './fault-error.ts'
import type { Reply } from './reply.ts'
import type { Stage } from './stage.ts'

interface ResultFields {
  readonly member: string
  readonly outcome: Outcome
  readonly stage: Stage
  readonly reply: Reply | null
  readonly fault: Fault | null
  readonly durationMs: number
  readonly recipients: readonly RecipientResult[]
  readonly messageId?: string | null
}

/** Completes the result of one transport. */
export function createResult({
  recipients,
  messageId = null,
  ...attempt
}: ResultFields): DeliveryResult {
  return {
    ...attempt,
    recipients,
    messageId,
    isRetrySafe: attempt.outcome === 'refused',
    isPermanent: attempt.outcome === 'refused' && attempt.fault?.isPermanent === true,
    retryAfterMs: attempt.outcome === 'refused' ? (attempt.fault?.retryAfterMs ?? null) : null,
    attempts: [attempt satisfies Attempt],
  }
}

/** The result of a delivery that ended in a fault; every recipient shares it who has none of his own. */
export function faultResult(
  error: FaultError,
  { member, message, durationMs }: { member: string; message: Message; durationMs: number },
): DeliveryResult {
  const { fault, isUncertain, recipients } = error
  return createResult({
    member,
    outcome: isUncertain ? 'uncertain' : 'refused',
    stage: fault.stage,
    reply: fault.reply,
    fault,
    durationMs,
    recipients: recipients ?? message.envelope.to.map((address) => sharedLot(address, error)),
  })
}

/** The lot of a recipient in a delivery that ended in a fault, where he has none of his own. */
export function sharedLot(address: string, { fault, isUncertain }: FaultError): RecipientResult {
  return {
    address,
    outcome: isUncertain ? 'uncertain' : 'refused',
    reply: fault.reply,
    isPermanent: !isUncertain && fault.isPermanent,
  }
}
