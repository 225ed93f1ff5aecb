import { sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { FailedRecipient, NotifySender } from '../messages/index.ts'
import type { Storage } from '../storage/index.ts'
import { type MessageFacts, type QueueStore, removeFinished } from './queue-store.ts'
import type { QueueTables } from './table.ts'

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
 * they get one notification for each message.
 */
export class Notices {
  readonly #options: NoticesOptions
  /** Messages with notices that this process has stored. */
  readonly #known = new Set<number>()
  /** The last call for each message: the next one waits for it. */
  readonly #running = new Map<number, Promise<void>>()

  constructor(options: NoticesOptions) {
    this.#options = options
  }

  /** Adds what happened to recipients before a message was stored. Returns false if the message is deleted already. */
  async add(messageId: number, recipients: readonly FailedRecipient[]): Promise<boolean> {
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
    const { rows } = await sql<{ id: number }>`
      select n.message_id as id from queue_notices n group by n.message_id
      having max(n.created_at) <= ${clock.now() - settledMs}
        and not exists (select 1 from queue_recipients r where r.message_id = n.message_id)
      limit ${finishedAtOnce}`.execute(storage.tables<QueueTables>())
    for (const { id } of rows) await this.#finish(id)
  }

  #know(messageId: number): void {
    this.#known.add(messageId)
    const [oldest] = this.#known
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest)
  }

  #finish(messageId: number): Promise<void> {
    const before = this.#running.get(messageId) ?? Promise.resolve()
    const work = before.catch(() => undefined).then(() => this.#finishOne(messageId))
    this.#running.set(messageId, work)
    return work.finally(() => {
      if (this.#running.get(messageId) === work) this.#running.delete(messageId)
    })
  }

  async #finishOne(messageId: number): Promise<void> {
    const { notices, isLeft } = await this.#read(messageId)
    const last = notices.at(-1)
    if (last === undefined) this.#known.delete(messageId)
    if (last === undefined || isLeft) return
    const [queued] = await this.#options.store.findMessages([messageId])
    if (queued !== undefined)
      await this.#send(queued.message, {
        // The same after a crash, when a recipient is settled again.
        id: `end.${messageId}.${notices.length}`,
        recipients: notices.map(({ status }) => JSON.parse(status)),
      })
    await this.#remove(messageId, last.id)
  }

  async #read(messageId: number) {
    const db = this.#options.storage.tables<QueueTables>()
    const left = db.selectFrom('queue_recipients').select('id').where('message_id', '=', messageId)
    const isLeft = (await left.limit(1).executeTakeFirst()) !== undefined
    const query = db.selectFrom('queue_notices').selectAll().where('message_id', '=', messageId)
    return { isLeft, notices: await query.orderBy('id').execute() }
  }

  /** Deletes a message whose sender is notified, with its notices; nothing if one came after the last that was sent. */
  async #remove(messageId: number, lastId: number): Promise<void> {
    const { storage, onRemoved } = this.#options
    const removed = await storage.transaction(async (tx: Transaction<QueueTables>) => {
      if (storage.locksRows)
        await sql`select id from queue_messages where id = ${messageId} for update`.execute(tx)
      await sql`delete from queue_notices where message_id = ${messageId} and not exists
        (select 1 from queue_notices n where n.message_id = ${messageId} and n.id > ${lastId})`.execute(
        tx,
      )
      return removeFinished(tx, storage, [messageId])
    })
    this.#known.delete(messageId)
    onRemoved(removed)
  }

  async #send(
    message: MessageFacts,
    event: { id: string; recipients: readonly FailedRecipient[] },
  ): Promise<void> {
    const { notifySender } = this.#options
    const { sender, created_at: receivedAt } = message
    await notifySender({
      id: `${event.id}.${receivedAt.toString(36)}`,
      message: { sender, receivedAt },
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
