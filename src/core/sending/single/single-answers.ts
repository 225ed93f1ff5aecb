import { AppError } from '../../../kit/app-error.ts'
import type { DeliverReport, OriginalDelivery, RecipientReport } from '../../delivery/index.ts'

/** A message that is not sent yet: Mailyard delivers it later. */
export interface QueuedSend {
  /** Its recipient in the queue. */
  id: number
  /** Why it was not sent at once; null if the server has not answered yet. */
  reason: string | null
}

/** Mautic's answer: whether the email was sent or stored, and if neither, why. */
export type SendAnswer = { success: true; queued?: QueuedSend } | { success: false; failed: string }

export function failed(text: string): SendAnswer {
  return { success: false, failed: text }
}

/** The answer to a message to one recipient, who is no duplicate. */
export function answerOf({ sent, problem, suppressed }: DeliverReport): SendAnswer {
  if (suppressed[0] !== undefined) return failed(suppressed[0].reason)
  if (problem !== undefined) return failed(problem)
  const [first] = sent
  if (first === undefined) throw new Error('The delivery has no result.')
  return answerOutcome(first.result.outcome, first.result.fault?.message)
}

/** The answer to an attempt that is not followed by another one. */
export function answerReport(report: RecipientReport, requestHash: string | null): SendAnswer {
  const { state, reply, fault, original } = report
  if (original !== undefined) return answerDuplicate(original, requestHash)
  if (state === 'suppressed' || state === 'unsent' || state === 'duplicate')
    return failed(reply.text)
  return answerOutcome(state, fault?.message ?? reply.text)
}

/** The answer to a request that was sent before. */
export function answerDuplicate(
  { request_hash, outcome }: OriginalDelivery,
  requestHash: string | null,
): SendAnswer {
  checkSameRequest(request_hash, requestHash)
  if (outcome === 'accepted') return { success: true }
  if (outcome === 'started') throw stillSending()
  return failed(unknownOutcome)
}

/** Throws an AppError (`conflict`) if another request has used the same Idempotency-Key. */
export function checkSameRequest(original: string | null, own: string | null): void {
  if (original === own) return
  const message = 'This Idempotency-Key was used for another request; use a new one.'
  throw new AppError('conflict', 'idempotency_key_used', message)
}

function answerOutcome(outcome: RecipientReport['state'], reason: string | undefined): SendAnswer {
  if (outcome === 'accepted') return { success: true }
  if (outcome === 'uncertain') return failed(`${reason ?? ''} ${unknownOutcome}`.trim())
  return failed(reason === undefined || reason === '' ? 'The message was refused.' : reason)
}

const unknownOutcome = 'It is not known whether the message arrived; it is not sent again.'

function stillSending(): AppError {
  const message =
    'The request with this Idempotency-Key is still being sent; ask again in a moment.'
  return new AppError('conflict', 'idempotency_key_busy', message, { retryAfterSeconds: 2 })
}
