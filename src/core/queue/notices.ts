import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Message } from '../../libraries/mailer/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { DeliveryTables, RecipientReport, Submission } from '../delivery/index.ts'
import type { FailedRecipient } from '../mime/index.ts'
import type { FailureNotifications } from './notifications/failure-notifications.ts'
import { type ClaimMessage, type QueueStore, removeFinished, sizeOf } from './queue-store.ts'
import type { QueueTables } from './table.ts'

const finishedAtOnce = 500
/** Further messages replace those that were known first: `finishDue` finds them. */
const knownMax = 10_000

export interface NoticesOptions {
  storage: Storage
  store: Pick<QueueStore, 'findMessages'>
  notifications: Pick<FailureNotifications, 'compose'>
  /** Stores a notification, and claims what it is about. Returns whether it was stored. */
  submit: (notification: Message, claim?: ClaimMessage) => Promise<boolean>
  /** Reads and decrypts the body of a message. */
  openBody: (messageId: number) => Promise<Uint8Array>
  clock: Clock
  log: Log
  /** Called with the size of deleted messages. */
  onRemoved: (bytes: number) => void
}

/**
 * Notifies the sender of a message of its failures: once, when no recipient is left. The transaction that settles a failed
 * recipient stores what the sender is notified of; the transaction that stores the notification deletes it.
 */
export class Notices {
  readonly #options: NoticesOptions
  /** Messages with notices that this process has stored. */
  readonly #known = new BoundedMemory<number, true>({ sizeMax: knownMax })
  /** The notification of each message that is made now. */
  readonly #running = new Map<number, Promise<void>>()

  constructor(options: NoticesOptions) {
    this.#options = options
  }

  /**
   * Notifies the sender of a message of recipients that were refused for good before it was stored for others. If it is
   * stored as the message `messageId`, they share the notification of that.
   */
  async addUnstored(
    submission: Submission,
    reports: readonly RecipientReport[],
    messageId: number | undefined,
  ): Promise<void> {
    const { notifications, submit, clock } = this.#options
    const { sender, chunks } = submission
    const at = clock.now()
    const recipients = reports.filter(isNotified).map((report) => describeFailure(report, at))
    if (recipients.length === 0) return
    if (messageId !== undefined && (await this.#add(messageId, recipients))) return
    const notification = await notifications.compose({
      id: randomUUID(),
      message: { sender, receivedAt: at },
      recipients,
      readMessage: async () => Buffer.concat(chunks),
    })
    if (notification !== undefined) await submit(notification)
  }

  /**
   * Notifies the sender of a message if no recipient is left. Call it after a recipient is done. What fails is logged, and
   * done by `finishDue`.
   *
   * @param hasNotice whether notices were added; false costs nothing, unless this process knows of earlier ones
   */
  async finish(messageId: number, hasNotice: boolean): Promise<void> {
    if (hasNotice) this.#known.set(messageId, true)
    if (this.#known.get(messageId)) await this.#finish(messageId)
  }

  /** Sends the notifications that are due: after a restart, and where another process or a person settled the last recipient. */
  async finishDue(): Promise<void> {
    const rows = await this.#options.storage
      .tables<QueueTables>()
      .selectFrom('queue_notices as n')
      .select('n.message_id')
      .distinct()
      .where((notice) => {
        const recipients = notice.selectFrom('queue_recipients as r').select('r.id')
        const waiting = recipients.whereRef('r.message_id', '=', 'n.message_id')
        return notice.not(notice.exists(waiting))
      })
      .limit(finishedAtOnce)
      .execute()
    for (const { message_id: id } of rows) await this.#finish(id)
  }

  /** Adds what happened to recipients before a message was stored. Returns false if the message is deleted already. */
  async #add(messageId: number, recipients: readonly FailedRecipient[]): Promise<boolean> {
    return this.#options.storage.transaction(async (tx: Transaction<QueueTables>) => {
      const message = tx.selectFrom('queue_messages').select('id').where('id', '=', messageId)
      if ((await message.forKeyShare().executeTakeFirst()) === undefined) return false
      const rows = recipients.map((recipient) => {
        return { message_id: messageId, status: JSON.stringify(recipient) }
      })
      await tx.insertInto('queue_notices').values(rows).execute()
      this.#known.set(messageId, true)
      return true
    })
  }

  /** One after the other for a message: of two at once, each would log it and count it for the limit of its sender. */
  async #finish(messageId: number): Promise<void> {
    const earlier = this.#running.get(messageId) ?? Promise.resolve()
    const own = earlier.then(() => this.#tryToNotify(messageId))
    this.#running.set(messageId, own)
    await own
    if (this.#running.get(messageId) === own) this.#running.delete(messageId)
  }

  async #tryToNotify(messageId: number): Promise<void> {
    try {
      await this.#notify(messageId)
    } catch (err) {
      this.#options.log.warn({ err, queueId: messageId }, 'sender not notified yet')
    }
  }

  async #notify(messageId: number): Promise<void> {
    const { storage, store, notifications, submit, onRemoved, log } = this.#options
    const notices = await this.#findEnded(messageId)
    const lastId = notices.at(-1)?.id
    if (lastId === undefined) return
    const [queued] = await store.findMessages([messageId])
    const { sender = '', created_at: receivedAt = 0 } = queued?.message ?? {}
    const recipients = notices.map(({ status }) => JSON.parse(status) as FailedRecipient)
    const notification = await notifications.compose({
      id: `${messageId}.${receivedAt.toString(36)}`,
      message: { sender, receivedAt },
      recipients,
      readMessage: () => this.#openOrWarn(messageId),
    })
    let removedBytes: number | undefined
    const claim = async (tx: Transaction<DeliveryTables>) => {
      removedBytes = await this.#remove(tx, messageId, lastId)
      return removedBytes !== undefined
    }
    if (notification === undefined) await storage.transaction(claim)
    else if (await submit(notification, claim))
      log.info({ queueId: messageId, recipients: recipients.length }, 'sender notified')
    this.#known.delete(messageId)
    onRemoved(removedBytes ?? 0)
  }

  /** Returns the notices of a message; none while it has recipients. */
  async #findEnded(messageId: number) {
    const db = this.#options.storage.tables<QueueTables>()
    const left = db.selectFrom('queue_recipients').select('id').where('message_id', '=', messageId)
    return db
      .selectFrom('queue_notices')
      .select(['id', 'status'])
      .where('message_id', '=', messageId)
      .where((where) => where.not(where.exists(left)))
      .orderBy('id')
      .execute()
  }

  /**
   * Deletes a message whose sender is notified, with its notices. Returns its size in bytes; undefined if another process has
   * done that, or a notice was added after the last one.
   */
  async #remove(
    transaction: Transaction<DeliveryTables>,
    messageId: number,
    lastId: number,
  ): Promise<number | undefined> {
    const { storage } = this.#options
    const tx = transaction.withTables<QueueTables>()
    const message = tx.selectFrom('queue_messages').select('id').where('id', '=', messageId)
    await message.modifyEnd(storage.forUpdate()).execute()
    const notices = tx.selectFrom('queue_notices as n').select('n.id')
    const later = notices.where('n.message_id', '=', messageId).where('n.id', '>', lastId)
    const removed = await tx
      .deleteFrom('queue_notices')
      .where('message_id', '=', messageId)
      .where((notice) => notice.not(notice.exists(later)))
      .returning('id')
      .execute()
    return removed.length === 0 ? undefined : sizeOf(await removeFinished(tx, storage, [messageId]))
  }

  async #openOrWarn(queueId: number): Promise<Uint8Array | undefined> {
    const { openBody, log } = this.#options
    try {
      return await openBody(queueId)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      log.warn({ err, queueId }, 'message not returned with its notification')
      return undefined
    }
  }
}

/**
 * Whether the sender of a message is notified of a recipient that is done: the message failed. Suppressed addresses are no
 * news: the sender asked for the suppression, or was notified of what led to it.
 */
export function isNotified({ state }: RecipientReport): boolean {
  return state !== 'accepted' && state !== 'duplicate' && state !== 'suppressed'
}

/**
 * Describes the failure of a recipient for a notification. `at`: when it failed. The problems of a connection concern the
 * operator, not the sender.
 */
export function describeFailure(
  { address, answer, reply, state }: RecipientReport,
  at: number,
): FailedRecipient {
  const isAsked = answer !== undefined
  const isUnsent = state === 'unsent'
  return {
    address,
    reason:
      isAsked || isUnsent
        ? reply.text
        : 'No server could be asked. The log of Mailyard has the details.',
    reply: answer?.reply ?? null,
    status: isUnsent ? reply.status : undefined,
    hint: answer?.hint,
    remoteMta: answer?.remoteMta,
    lastAttemptAt: isAsked ? at : undefined,
  }
}
