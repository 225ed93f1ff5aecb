import type { Message } from '../message/message.ts'
import type { Attempt, DeliveryResult, RecipientResult } from './delivery-result.ts'
import type { FaultError } from './fault-error.ts'

interface ResultFields extends Attempt {
  readonly recipients: readonly RecipientResult[]
  readonly messageId?: string | null
  readonly hasNotifications?: boolean
}

/** Completes the result of one transport. */
export function createResult({
  recipients,
  messageId = null,
  hasNotifications = false,
  ...attempt
}: ResultFields): DeliveryResult {
  return {
    ...attempt,
    recipients,
    messageId,
    hasNotifications,
    isRetrySafe: attempt.outcome === 'refused',
    isPermanent: attempt.outcome === 'refused' && attempt.fault?.isPermanent === true,
    retryAfterMs: attempt.outcome === 'refused' ? (attempt.fault?.retryAfterMs ?? null) : null,
    attempts: [attempt satisfies Attempt],
  }
}

/** Makes the result of a delivery that failed. Recipients without a result of their own share the fault. */
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
    recipients: recipients ?? message.envelope.to.map((address) => failedRecipient(address, error)),
  })
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
