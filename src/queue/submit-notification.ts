import { notifier, readSubmission } from '../delivery/index.ts'
import type { Message } from '../mailer/index.ts'
import type { ClaimMessage } from './queue-store.ts'
import type { StoreMessage } from './store-message.ts'

/** How a notification is stored. */
export interface SubmitOptions {
  /** Claims what the notification is about. Default: it is stored in any case. */
  claim?: ClaimMessage
}

/** Stores a notification, to be sent through the default transport. Returns whether it was stored. */
export type SubmitNotification = (
  notification: Message,
  options?: SubmitOptions,
) => Promise<boolean>

export function createSubmitNotification(
  storeMessage: StoreMessage,
  onStored: () => void,
): SubmitNotification {
  return async ({ envelope, raw }, { claim } = {}) => {
    const read = readSubmission({
      submitter: notifier,
      sender: envelope.from,
      recipients: envelope.to,
      chunks: [raw],
      reserve: () => () => undefined,
    })
    const recipients = envelope.to.map((address) => ({ address, state: 'queued' as const }))
    const stored = await storeMessage(read, recipients, claim)
    const isStored = stored !== undefined && stored.added.length > 0
    if (isStored) onStored()
    return isStored
  }
}
