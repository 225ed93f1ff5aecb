import { type Expression, type SqlBool, sql, type Transaction } from 'kysely'
import { checkVisible } from '../../core/published/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import { idleAll } from '../../kit/worker.ts'
import type { Installation } from '../../platform/installation/index.ts'
import { Outbox, type OutboxTable } from '../../platform/outbox/index.ts'
import { editStamp, type Keyring, type Storage } from '../../platform/storage/index.ts'
import { AlertLimit } from './alert-limit.ts'
import { describeAnswer, ReceiverError, type SendRequest } from './call-receiver.ts'
import { createMessageId, type EventPublisher } from './event-publisher.ts'
import type { WebhookTest } from './schema.ts'
import { typesOf, type WebhookMessageRow, type WebhookRow, type WebhookTables } from './table.ts'
import { openWebhookRecords, webhookNotFound } from './webhook-records.ts'
import { createWebhookSecret, openWebhookSecrets, type WebhookSecrets } from './webhook-secrets.ts'
import { testMessage, WebhookSender, type WebhookSenderOptions } from './webhook-sender.ts'
import { deadAfterMs, WebhookStates } from './webhook-states.ts'

export interface WebhooksOptions {
  storage: Storage
  keyring: Keyring
  installation: Pick<Installation, 'check' | 'unconfirmed'>
  clock: Clock
  log: Log
  publisher: EventPublisher
  /** Sends requests to addresses that the outbound policy allows. */
  send: SendRequest
  findStamped: WebhookSenderOptions['findStamped']
  /** What links start with; undefined without one. */
  publicUrl: string | undefined
  /** How often messages are looked for that are due again, in milliseconds. Default: 5 s. */
  idleMs?: number | undefined
}

const dayMs = 86_400_000
/** How many messages of a webhook may wait. */
const messagesMax = 100_000
const pruneMs = 60_000
const messageTable: OutboxTable = {
  name: 'webhook_messages',
  label: 'messages to webhooks',
  targets: 'webhooks',
  targetColumn: 'webhook_id',
  isReady: sql<boolean>`webhooks.is_published and not exists (
    select 1 from webhook_states where webhook_states.webhook_id = webhooks.id and dead_at is not null)`,
  isWanted: sql<boolean>`webhook_messages.webhook_id = webhooks.id`,
}
/** How long the secret before a rotation still signs. */
const oldSecretMs = dayMs
const deadProblem = 'The webhook is dead: it is not called any more. Test it to continue.'

/** The webhooks of other systems, and the messages to them. */
export class Webhooks {
  readonly records: ReturnType<typeof openWebhookRecords>
  /** The messages to them. */
  readonly outbox: Outbox<WebhookMessageRow>
  readonly #options: WebhooksOptions
  readonly #secrets: WebhookSecrets
  readonly #states: WebhookStates
  readonly #sender: WebhookSender
  readonly #limit: AlertLimit
  readonly #pruning: Periodic

  constructor(options: WebhooksOptions) {
    const { storage, keyring, clock, log, publisher, idleMs = 5_000 } = options
    this.#options = options
    this.#secrets = openWebhookSecrets(storage, keyring)
    this.#limit = new AlertLimit(storage, clock)
    this.#states = new WebhookStates({
      storage,
      publisher,
      clock,
      log,
      onDead: (id) => this.outbox.failQueued(id, deadProblem),
    })
    this.#sender = new WebhookSender({
      storage,
      secrets: this.#secrets,
      states: this.#states,
      limit: this.#limit,
      send: options.send,
      findStamped: options.findStamped,
      publicUrl: options.publicUrl,
      clock,
    })
    this.outbox = new Outbox({
      storage,
      table: messageTable,
      sender: this.#sender,
      installation: options.installation,
      clock,
      log,
      idleMs,
      giveUpMs: deadAfterMs,
      keepMs: 7 * dayMs,
      targetPauses: { firstMs: 5_000, longestMs: 3_600_000 },
      rowsMax: messagesMax,
    })
    this.records = openWebhookRecords({
      storage,
      clock,
      secrets: this.#secrets,
      states: this.#states,
      onChanged: (ids) => this.#changed(ids),
    })
    this.#pruning = new Periodic({
      task: () => this.prune(),
      intervalMs: pruneMs,
      log,
      events: {
        failed: 'old messages to webhooks not deleted',
        recovered: 'old messages to webhooks deleted again',
      },
    })
  }

  async start(): Promise<void> {
    await this.#options.publisher.active.start()
    this.outbox.start()
    this.#pruning.start()
  }

  /** Resolves when nothing is due any more: whether something was. */
  idle(): Promise<boolean> {
    return idleAll([this.#options.publisher.active, this.outbox, this.#pruning])
  }

  async stop(): Promise<void> {
    const parts = [this.#pruning, this.outbox, this.#options.publisher.active]
    for (const part of parts) await part.stop()
  }

  /**
   * Finds a webhook for a caller who may see all that it is sent.
   *
   * @throws AppError (`not_found`, `forbidden`)
   */
  async getVisible(id: number, caller: Caller): Promise<WebhookRow> {
    const row = await this.records.getRow(id, caller)
    checkVisible(typesOf(row), caller)
    return row
  }

  /**
   * Sends a test message now, and returns what the receiver answered. A receiver that accepts it is called again if it was dead.
   * Throws an AppError (`not_found`, `conflict`, `rate_limited`).
   */
  async test(id: number, signal: AbortSignal): Promise<WebhookTest> {
    this.#options.installation.check()
    await this.#limit.permitCall(id)
    const message = testMessage(createMessageId(), formatDate(this.#options.clock.now()))
    try {
      const sent = await this.#sender.sendOnce(id, message, signal)
      if (sent === undefined) throw webhookNotFound()
      const { webhook, answer } = sent
      const { status, words } = answer
      const success = status >= 200 && status < 300
      if (success) {
        await this.#states.revive(id)
        await this.#states.noteSuccess({ ...webhook, last_success_at: null })
        await this.#changed([id])
      }
      return { success, message: describeAnswer(answer), status, answer: words }
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error
      return { success: false, message: error.message, status: null, answer: null }
    }
  }

  /** Gives a webhook a new secret, and returns it. The one before signs, too, for 24 hours. */
  async rotateSecret(id: number, caller: Caller): Promise<string> {
    const { storage, keyring, clock } = this.#options
    const secret = createWebhookSecret()
    await storage.transaction(async (tx: Transaction<WebhookTables>) => {
      const query = tx.selectFrom('webhooks').selectAll().where('id', '=', id).forUpdate()
      const row = await query.executeTakeFirst()
      if (row === undefined) throw webhookNotFound()
      const before = await this.#secrets.open(row, 'secret')
      const sealer = await keyring.sealer(tx)
      const change = {
        secret: this.#secrets.sealWith(sealer, 'secret', secret),
        old_secret: before ? this.#secrets.sealWith(sealer, 'old_secret', before) : null,
        old_secret_until: clock.now() + oldSecretMs,
        ...editStamp(row, { caller, clock }),
      }
      await tx.updateTable('webhooks').set(change).where('id', '=', id).execute()
    })
    return secret
  }

  /**
   * Sends a message now, also if it has failed or was sent before, and to a receiver that was dead. Returns undefined for one that
   * is unknown. Throws an AppError (`rate_limited`) if that was done within the last minute.
   */
  async retry(
    id: number,
    messageId: number,
    condition?: Expression<SqlBool>,
  ): Promise<WebhookMessageRow | undefined> {
    const messages = this.#options.storage.tables<WebhookTables>().selectFrom('webhook_messages')
    const known = messages.select('id').where('id', '=', messageId).where('webhook_id', '=', id)
    const visible = condition === undefined ? known : known.where(condition)
    if ((await visible.executeTakeFirst()) === undefined) return undefined
    await this.#limit.permitCall(id, messageId)
    const message = await this.outbox.retry(id, messageId, condition)
    if (message === undefined) return undefined
    await this.#states.revive(id)
    await this.#changed([id])
    return message
  }

  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#secrets.reseal()
  }

  /** Deletes what is old or too much. */
  async prune(): Promise<void> {
    const { storage } = this.#options
    const db = storage.tables<WebhookTables>()
    for (const id of await this.#states.listDead()) await this.outbox.failQueued(id, deadProblem)
    for (const { id } of await db.selectFrom('webhooks').select('id').execute())
      await this.outbox.trim(id)
    await this.outbox.prune()
    await this.outbox.pruneOrphans()
    await this.#limit.prune()
  }

  /** Applies changes of webhooks in all processes, and calls their receivers again without waiting for the end of a pause. */
  async #changed(ids: readonly number[]): Promise<void> {
    await this.#options.publisher.reload()
    for (const id of ids) this.outbox.resume(id)
  }
}
