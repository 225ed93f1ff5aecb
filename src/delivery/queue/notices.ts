import { sql, type Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import { isAmong } from '../broadcasts/rows.ts'
import type { RecipientStatus } from '../notifications/notification.ts'
import type { NotifySender } from '../notifications/notify-sender.ts'
import { deliverByOf, failedFirst, notificationOf } from './notify-result.ts'
import { type MessageFacts, type QueueStore, removeFinished } from './queue-store.ts'
import type { QueueTables } from './table.ts'

/** While a message waits for other recipients, its sender is notified of the first failures after this time. */
const earlyMs = 4 * 3_600_000
/** A process that has settled the last recipient sends the notification at once: others leave it alone for this time. */
const settledMs = 30_000
const finishedAtOnce = 500
/** Further messages replace those that were known first: `finishDue` finds them. */
const knownMax = 10_000

export interface NoticesOptions {
  storage: Storage
  store: Pick<QueueStore, 'findMessages'>
  notifySender: NotifySender
  /** Reads and decrypts the body of a message. */
  openBody: (messageId: number) => Promise<Uint8Array>
  clock: Clock
  log: Log
  /** Called with the size of deleted messages. */
  onRemoved: (bytes: number) => void
}

/**
 * Collects what the senders of queued messages are notified of, in the database, until the message has no recipient left:
 * they get one notification for each message. If recipients are left four hours after the first failure, the sender is
 * notified of the failures until then, and of the others at the end.
 */
export class Notices {
  readonly #options: NoticesOptions
  /** Messages with notices that this process has stored. */
  readonly #known = new Set<number>()
  readonly #inProgress = new Set<number>()

  constructor(options: NoticesOptions) {
    this.#options = options
  }

  /** Adds what happened to recipients before a message was stored. Returns false if the message is deleted already. */
  async add(messageId: number, recipients: readonly RecipientStatus[]): Promise<boolean> {
    const { storage, clock } = this.#options
    const created_at = clock.now()
    return storage.transaction(async (tx: Transaction<QueueTables>) => {
      const message = tx.selectFrom('queue_messages').select('id').where('id', '=', messageId)
      if ((await message.forKeyShare().executeTakeFirst()) === undefined) return false
      const rows = recipients.map((status) => {
        return { message_id: messageId, status: JSON.stringify(status), created_at }
      })
      await tx.insertInto('queue_notices').values(rows).execute()
      this.#know(messageId)
      return true
    })
  }

  /**
   * Notifies the sender of a message if no recipient is left. Call it after a recipient is done.
   *
   * @param hasNotice whether notices were added; false costs nothing, unless this process knows of earlier ones
   */
  async finish({ id }: Pick<MessageFacts, 'id'>, hasNotice: boolean): Promise<void> {
    if (hasNotice) this.#know(id)
    if (this.#known.has(id)) await this.#finish(id)
  }

  /** Sends the notifications that are due: after a restart, and where another process or a person settled the last recipient. */
  async finishDue(): Promise<void> {
    const { storage, clock } = this.#options
    const now = clock.now()
    const { rows } = await sql<{ id: number }>`
      select n.message_id as id from queue_notices n group by n.message_id
      having (count(n.sent_at) = 0 and min(n.created_at) <= ${now - earlyMs})
        or (max(n.created_at) <= ${now - settledMs}
          and not exists (select 1 from queue_recipients r where r.message_id = n.message_id))
      limit ${finishedAtOnce}`.execute(storage.tables<QueueTables>())
    for (const { id } of rows) await this.#finish(id)
  }

  /** Notifies the sender that recipients are not delivered yet. */
  async sendDelayed(
    message: MessageFacts,
    delayed: readonly { id: number; status: RecipientStatus }[],
  ): Promise<void> {
    const firstId = Math.min(...delayed.map(({ id }) => id))
    const recipients = delayed.map(({ status }) => status)
    await this.#send(message, { id: `delayed.${message.id}.${firstId}`, recipients })
  }

  #know(messageId: number): void {
    this.#known.add(messageId)
    const [oldest] = this.#known
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest)
  }

  async #finish(messageId: number): Promise<void> {
    if (this.#inProgress.has(messageId)) return
    this.#inProgress.add(messageId)
    try {
      const { clock, store } = this.#options
      const { notices, isLeft } = await this.#read(messageId)
      if (notices.length === 0) {
        this.#known.delete(messageId)
        return
      }
      const unsent = notices.filter(({ sent_at }) => sent_at === null)
      const isFirst = unsent.length === notices.length
      const [oldest] = unsent
      const isEarly = isFirst && oldest !== undefined && oldest.created_at <= clock.now() - earlyMs
      if (isLeft && !isEarly) return
      const [queued] = await store.findMessages([messageId])
      if (queued !== undefined && unsent.length > 0)
        await this.#send(queued.message, {
          id: `end.${messageId}.${isFirst ? 1 : 2}`,
          recipients: failedFirst(unsent.map(({ status }) => JSON.parse(status))),
          returnsHead: !isFirst,
        })
      await this.#markSent(messageId, unsent)
    } finally {
      this.#inProgress.delete(messageId)
    }
  }

  async #read(messageId: number) {
    const db = this.#options.storage.tables<QueueTables>()
    const left = db.selectFrom('queue_recipients').select('id').where('message_id', '=', messageId)
    const isLeft = (await left.limit(1).executeTakeFirst()) !== undefined
    const query = db.selectFrom('queue_notices').selectAll().where('message_id', '=', messageId)
    return { isLeft, notices: await query.orderBy('id').execute() }
  }

  /** Deletes the message and its notices if no recipient is left, and keeps in mind what was sent otherwise. */
  async #markSent(messageId: number, sent: readonly { id: number }[]): Promise<void> {
    const { storage, clock, onRemoved } = this.#options
    const removed = await storage.transaction(async (tx: Transaction<QueueTables>) => {
      if (storage.kind === 'postgres')
        await sql`select id from queue_messages where id = ${messageId} for update`.execute(tx)
      await tx
        .updateTable('queue_notices')
        .set({ sent_at: clock.now() })
        .where(
          isAmong(
            storage.kind,
            'id',
            sent.map(({ id }) => id),
          ),
        )
        .execute()
      const isLeft = sql<boolean>`(exists (select 1 from queue_recipients r where r.message_id = ${messageId})
        or exists (select 1 from queue_notices n where n.message_id = ${messageId} and n.sent_at is null))`
      const removal = tx.deleteFrom('queue_notices').where('message_id', '=', messageId)
      const { numDeletedRows } = await removal
        .where((where) => where.not(isLeft))
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) return undefined
      return removeFinished(tx, storage, [messageId])
    })
    if (removed === undefined) return
    this.#known.delete(messageId)
    onRemoved(removed)
  }

  async #send(
    message: MessageFacts,
    event: { id: string; recipients: readonly RecipientStatus[]; returnsHead?: boolean },
  ): Promise<void> {
    const { notifySender } = this.#options
    const { sender, created_at: receivedAt } = message
    const asked = notificationOf(message)
    // The whole message is returned once.
    const notification =
      event.returnsHead === true && asked !== undefined
        ? { ...asked, return: 'HDRS' as const }
        : asked
    await notifySender({
      id: `${event.id}.${receivedAt.toString(36)}`,
      message: { sender, receivedAt, notification },
      deliverBy: deliverByOf(message),
      recipients: event.recipients,
      readMessage: () => this.#openOrWarn(message.id),
    })
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
