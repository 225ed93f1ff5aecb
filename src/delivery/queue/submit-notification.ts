import type { Message } from '../../mailer/index.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { notifier } from '../submission/submission.ts'
import type { StoreMessage } from './store-message.ts'

/** Stores a notification, to be sent through the default transport. */
export function createSubmitNotification(storeMessage: StoreMessage, onStored: () => void) {
  return async ({ envelope, raw }: Message): Promise<void> => {
    const read = readSubmission({
      submitter: notifier,
      sender: envelope.from,
      recipients: envelope.to,
      notification: envelope.notification,
      deliverBy: undefined,
      chunks: [raw],
      reserve: () => () => undefined,
    })
    const recipients = envelope.to.map((address) => ({ address, state: 'queued' as const }))
    await storeMessage(read, recipients)
    onStored()
  }
}
