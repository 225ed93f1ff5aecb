import { type RelayedMessage, readMessage, readRendered } from '../../messages/index.ts'
import { createMessageKeys, type MessageKeys } from './message-keys.ts'
import type { Submission } from './submission.ts'

/** A submission that was read, and the keys of its recipients. */
export interface ReadSubmission {
  readonly submission: Submission
  readonly message: RelayedMessage
  readonly keysOf: MessageKeys
}

export function readSubmission(submission: Submission): ReadSubmission {
  const { chunks, rendered } = submission
  const message = rendered === undefined ? readMessage(chunks) : readRendered(chunks, rendered)
  return { submission, message, keysOf: createMessageKeys(message, submission) }
}
