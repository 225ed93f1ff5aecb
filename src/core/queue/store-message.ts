import { noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Keyring, SealedBytes } from '../../platform/storage/index.ts'
import type { Lane, Submission } from '../delivery/index.ts'
import { isNotification, noTransport } from '../delivery/index.ts'
import type { AddedRecipient, NewRecipient } from './add-messages.ts'
import type { QueueSize } from './queue-size.ts'
import type { ClaimedRecipient, ClaimMessage, MessageFacts, QueueStore } from './queue-store.ts'

/** A recipient of a message that is stored, after the attempts that were made before. */
export type QueuedRecipient = Pick<NewRecipient, 'address' | 'state'> &
  Partial<Omit<NewRecipient, 'address' | 'state'>>

/** A message that is on the disk. */
export interface StoredMessage {
  added: readonly AddedRecipient[]
  message: MessageFacts
  /** The recipients that this process has claimed. */
  claimed: readonly ClaimedRecipient[]
}

export interface MessageWriterOptions {
  store: Pick<QueueStore, 'add'>
  bodies: Pick<MessageBodies, 'seal'>
  size: QueueSize
  clock: Clock
  processId: string
  /** How long delivery is tried, by lane. */
  lifetimesMs: Readonly<Record<Lane, number>>
}

/** Writes new messages to the queue. */
export class MessageWriter {
  readonly #options: MessageWriterOptions

  constructor(options: MessageWriterOptions) {
    this.#options = options
  }

  /**
   * Stores a message for some of its recipients; none is added where a claim fails. Returns undefined if the queue is full; a
   * notification is always stored, because the message that it is about is deleted after it.
   */
  async store(
    submission: Submission,
    recipients: readonly QueuedRecipient[],
    claim?: ClaimMessage,
  ): Promise<StoredMessage | undefined> {
    const { store, bodies, size, clock, processId, lifetimesMs } = this.#options
    const { chunks, keysOf } = submission
    const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0)
    const isReserved = await size.reserve(sizeBytes, { isForced: isNotification(submission) })
    if (!isReserved) return undefined
    const now = clock.now()
    const lane = laneOf(submission)
    const times = { created_at: now, expires_at: now + lifetimesMs[lane] }
    const facts = { ...factsOf(submission), ...times, size_bytes: sizeBytes, lane }
    const brand = submission.submitter.brand ?? noBrand
    const untried = {
      brand_id: brand,
      attempts: 0,
      due_at: now,
      problem: null,
      transport_id: noTransport,
    }
    const rows = recipients.map((each) => ({ ...untried, ...each }))
    let isStored = false
    try {
      const { keyId, sealed } = await bodies.seal(chunks)
      const message = { ...facts, key_id: keyId, body: sealed }
      const added = await store.add({ message, recipients: rows, keysOf, processId }, claim)
      isStored = added.some(({ id }) => id !== undefined)
      const claimed = claimedOf(added, { lane, brand, keysOf, now })
      return { added, message: { ...facts, id: added[0]?.messageId ?? 0 }, claimed }
    } finally {
      if (!isStored) size.release(sizeBytes)
    }
  }
}

/** Returns the lane of a message: what goes to many is bulk. */
export function laneOf({ message: { head } }: Submission): Lane {
  return head.isBulk || head.isList ? 'bulk' : 'transactional'
}

function factsOf({ submitter, sender, rendered, message, subject }: Submission) {
  const { messageId, emailId, contactId } = message.head
  return {
    caller: submitter.name,
    submitter: JSON.stringify(submitter),
    sender,
    message_id: messageId ?? null,
    subject,
    mautic_id: submitter.mautic?.id ?? 0,
    email_id: emailId ?? null,
    contact_id: contactId ?? null,
    rendered: rendered === undefined ? null : JSON.stringify(rendered),
  }
}

function claimedOf(
  added: readonly AddedRecipient[],
  {
    lane,
    brand,
    keysOf,
    now,
  }: Pick<Submission, 'keysOf'> & {
    lane: Lane
    brand: number
    now: number
  },
): ClaimedRecipient[] {
  return added.flatMap(({ id, isClaimed, messageId, address }) => {
    if (id === undefined || !isClaimed) return []
    const { messageKey } = keysOf(address)
    return [
      {
        id,
        message_id: messageId,
        address,
        lane,
        message_key: messageKey,
        attempts: 0,
        transport_id: noTransport,
        due_at: now,
        brake_id: null,
        brand_id: brand,
        decided_by: null,
      },
    ]
  })
}

const purpose = 'queued message'

export type MessageBodies = ReturnType<typeof createMessageBodies>

/** Encrypts and decrypts the bodies of queued messages. */
export function createMessageBodies(keyring: Pick<Keyring, 'sealBytes' | 'openBytes'>) {
  return {
    seal: (chunks: readonly Uint8Array[]) => keyring.sealBytes(purpose, chunks),
    /** Throws if the body was changed, or its data key deleted. */
    open: (sealed: SealedBytes) => keyring.openBytes(purpose, sealed),
  }
}
