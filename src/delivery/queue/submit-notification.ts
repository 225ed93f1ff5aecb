import type { Transaction } from 'kysely'
import type { CallerMautic } from '../../kit/caller.ts'
import type { Message } from '../../mailer/index.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { notifier } from '../submission/submission.ts'
import type { DeliveryTables } from '../table.ts'
import type { QueueStore } from './queue-store.ts'
import { createStoreMessage, type StoreMessage, type StoreMessageOptions } from './store-message.ts'

/** Stores a notification, to be sent through the default transport. */
export function createSubmitNotification(storeMessage: StoreMessage, onStored: () => void) {
  return async (notification: Message): Promise<void> => {
    await storeNotification(storeMessage, notification)
    onStored()
  }
}

/** How a notification is stored that must be sent once, whichever process sends it. */
export interface NotificationClaim {
  /** It is sent through the default transport of this Mautic; undefined: the default transport. */
  mautic: CallerMautic | undefined
  /** Claims what it is about, in the transaction that stores it. Returns false where another process has done that. */
  claim: (tx: Transaction<DeliveryTables>) => Promise<boolean>
}

/** Stores a notification and its claim in one transaction. Returns whether it was stored. */
export type SubmitClaimed = (notification: Message, options: NotificationClaim) => Promise<boolean>

export function createSubmitClaimed(
  options: StoreMessageOptions & { store: Pick<QueueStore, 'addIf'> },
  onStored: () => void,
): SubmitClaimed {
  const { store } = options
  return async (notification, { mautic, claim }) => {
    const storeMessage = createStoreMessage({
      ...options,
      store: { add: (message) => store.addIf(message, claim) },
    })
    const stored = await storeNotification(storeMessage, notification, mautic)
    const isStored = stored !== undefined && stored.added.length > 0
    if (isStored) onStored()
    return isStored
  }
}

function storeNotification(
  storeMessage: StoreMessage,
  { envelope, raw }: Message,
  mautic?: CallerMautic,
) {
  const read = readSubmission({
    submitter: { ...notifier, mautic },
    sender: envelope.from,
    recipients: envelope.to,
    notification: envelope.notification,
    deliverBy: undefined,
    chunks: [raw],
    reserve: () => () => undefined,
  })
  const recipients = envelope.to.map((address) => ({ address, state: 'queued' as const }))
  return storeMessage(read, recipients)
}
