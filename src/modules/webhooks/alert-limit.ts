import type { Transaction } from 'kysely'
import { testType } from '../../core/published/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { WebhookAlertRow, WebhookMessageRow, WebhookTables } from './table.ts'

const hourMs = 3_600_000
const callMs = 60_000
/** How many messages that are left out are deleted at a time. */
const leftOutMax = 1_000

type MessageKey = Pick<
  WebhookMessageRow,
  'id' | 'webhook_id' | 'message_id' | 'type' | 'cause' | 'events'
>

/** Lets each chat have one alert an hour for each type and cause, in all processes, and counts the others. */
export class AlertLimit {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Returns how many events were left out since the last alert. Undefined where this one is left out: it is counted, like others that
   * wait with the same cause.
   */
  permit(message: MessageKey): Promise<number | undefined> {
    const now = this.#clock.now()
    return this.#storage.transaction(async (tx: Transaction<WebhookTables>) => {
      const key = alertKey(message)
      const first = { ...key, message_id: message.message_id, sent_at: now, left_out: 0 }
      const insert = tx.insertInto('webhook_alerts').values(first)
      const inserted = insert.onConflict((conflict) => conflict.doNothing()).returning('sent_at')
      if ((await inserted.executeTakeFirst()) !== undefined) return 0
      const query = tx.selectFrom('webhook_alerts').selectAll().forUpdate()
      const last = await query.where((alert) => alert.and(key)).executeTakeFirstOrThrow()
      const leftOut = Number(last.left_out)
      // It is repeated.
      if (last.message_id === message.message_id) return leftOut
      const isDue = now - last.sent_at >= hourMs && !(await isWaiting(tx, last))
      const change = isDue
        ? { message_id: message.message_id }
        : { left_out: leftOut + message.events + (await removeWaiting(tx, message)) }
      const update = tx.updateTable('webhook_alerts').set(change)
      await update.where((alert) => alert.and(key)).execute()
      return isDue ? leftOut : undefined
    })
  }

  /** Notes that an alert was sent. The next one may be sent an hour later. */
  async noteSent(message: MessageKey, leftOut: number): Promise<void> {
    await this.#storage
      .tables<WebhookTables>()
      .updateTable('webhook_alerts')
      .set((set) => ({
        message_id: null,
        sent_at: this.#clock.now(),
        left_out: set('left_out', '-', leftOut),
      }))
      .where((alert) => alert.and({ ...alertKey(message), message_id: message.message_id }))
      .execute()
  }

  /**
   * Lets a person call a webhook once a minute: with a test, or with a message again. Throws an AppError (`rate_limited`).
   *
   * @param messageId Undefined for a test.
   */
  async permitCall(id: number, messageId?: number): Promise<void> {
    const now = this.#clock.now()
    const alerts = this.#storage.tables<WebhookTables>()
    const key = { webhook_id: id, type: testType, cause: String(messageId ?? '') }
    const permitted = await alerts
      .insertInto('webhook_alerts')
      .values({ ...key, message_id: null, sent_at: now, left_out: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(['webhook_id', 'type', 'cause'])
          .doUpdateSet({ sent_at: now })
          // One that was sent much later was sent before the clock was set back; one of the same moment may have been faster.
          .where((last) =>
            last.not(last.between('webhook_alerts.sent_at', now - callMs + 1, now + callMs)),
          ),
      )
      .returning('sent_at')
      .executeTakeFirst()
    if (permitted !== undefined) return
    const [code, message] =
      messageId === undefined
        ? ['webhook_tested', 'The webhook was tested within the last minute. Test it again']
        : ['webhook_message_retried', 'The message was retried within the last minute. Retry it']
    const retryAfterSeconds = callMs / 1_000
    throw new AppError('rate_limited', code, `${message} in a minute.`, { retryAfterSeconds })
  }

  /** Deletes what counts nothing any more. */
  async prune(): Promise<void> {
    const alerts = this.#storage.tables<WebhookTables>().deleteFrom('webhook_alerts')
    const old = alerts.where('left_out', '=', 0).where('message_id', 'is', null)
    await old.where('sent_at', '<', this.#clock.now() - hourMs).execute()
  }
}

function alertKey({ webhook_id, type, cause }: MessageKey) {
  return { webhook_id, type, cause }
}

/** Whether the alert that was permitted last is still to be sent. */
async function isWaiting(
  tx: Transaction<WebhookTables>,
  { webhook_id: webhookId, message_id: messageId }: WebhookAlertRow,
): Promise<boolean> {
  if (messageId === null) return false
  const query = tx.selectFrom('webhook_messages').select('id').where('webhook_id', '=', webhookId)
  const waiting = query.where('state', '=', 'queued').where('message_id', '=', messageId)
  return (await waiting.executeTakeFirst()) !== undefined
}

/** Deletes messages that would be left out, too, and returns how many events they stand for. */
async function removeWaiting(tx: Transaction<WebhookTables>, message: MessageKey): Promise<number> {
  const waiting = tx
    .selectFrom('webhook_messages')
    .select('id')
    .where((waits) => waits.and(alertKey(message)))
    .where('state', '=', 'queued')
    .where('attempts', '=', 0)
    .where('id', '<>', message.id)
    .limit(leftOutMax)
  const removal = tx.deleteFrom('webhook_messages').where('id', 'in', waiting)
  const rows = await removal.returning('events').execute()
  return rows.reduce((sum, { events }) => sum + Number(events), 0)
}
