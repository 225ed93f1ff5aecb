import type { Kysely, QueryExecutorProvider } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { OutboxResult, OutboxSender } from '../outbox/index.ts'
import type { Storage } from '../storage/index.ts'
import type { AlertLimit, AlertPermit } from './alert-limit.ts'
import { type AlertText, writeAlert } from './alert-text.ts'
import {
  callReceiver,
  checkAccepted,
  describeAnswer,
  type ReceiverAnswer,
  ReceiverError,
  type SendRequest,
} from './call-receiver.ts'
import { testType } from './event-types.ts'
import { signedHeaders } from './sign.ts'
import type { WebhookMessageRow, WebhookRow, WebhookTables } from './table.ts'
import { secretUnreadable, type WebhookSecrets } from './webhook-secrets.ts'
import type { CalledWebhook, WebhookStates } from './webhook-states.ts'

/** An alert that is sent as an email. */
export interface AlertEmail extends AlertText {
  webhookId: number
  messageId: string
  to: string
  /** Null: the default transport. */
  transportId: number | null
}

/**
 * Stores an email, to be sent. `claim` is called in the transaction that stores it: where it returns false, nothing is stored.
 */
export type SendAlertEmail = (
  email: AlertEmail,
  claim: (tx: QueryExecutorProvider) => Promise<boolean>,
) => Promise<void>

export interface WebhookSenderOptions {
  storage: Storage
  secrets: WebhookSecrets
  states: WebhookStates
  limit: AlertLimit
  send: SendRequest
  sendEmail: SendAlertEmail
  /** What links start with; undefined without one. */
  publicUrl: string | undefined
  clock: Clock
}

/** What a message to a webhook is made of. */
type MessageContent = Pick<WebhookMessageRow, 'message_id' | 'body'>

/** A webhook as the database has it, and whether its receiver works. */
type WebhookToCall = WebhookRow & Omit<CalledWebhook, 'id' | 'name'>

/** Answers that concern one message only: others may be accepted. */
const messageStatuses: readonly (number | undefined)[] = [400, 413, 415, 422]
const goneStatus = 410

/** Sends messages to the receivers of webhooks. */
export class WebhookSender implements OutboxSender<WebhookMessageRow> {
  readonly #options: WebhookSenderOptions
  readonly #db: Kysely<WebhookTables>

  constructor(options: WebhookSenderOptions) {
    this.#options = options
    this.#db = options.storage.tables<WebhookTables>()
  }

  /** Throws a ReceiverError, or an AppError where a secret cannot be decrypted. */
  async send(message: WebhookMessageRow, signal: AbortSignal): Promise<OutboxResult> {
    const { states, limit } = this.#options
    const webhook = await this.#find(message.webhook_id)
    if (webhook === undefined) return { state: 'needless' }
    const permit = webhook.format === 'standard' ? undefined : await limit.permit(message)
    if (webhook.format !== 'standard' && permit === undefined) return { state: 'needless' }
    try {
      if (webhook.format === 'email') {
        await this.#sendEmail(webhook, message, permit)
      } else {
        const answer = await this.#post(webhook, { message, permit, signal })
        if (answer.status === goneStatus) return await this.#end(webhook, answer)
        checkAccepted(answer)
        if (permit !== undefined) await limit.noteSent(message, permit)
      }
    } catch (error) {
      if (error instanceof ReceiverError || error instanceof AppError) {
        const isDead = await states.noteFailure(webhook, error.message)
        if (isDead) return { state: 'failed', problem: error.message }
      }
      throw error
    }
    await states.noteSuccess(webhook)
    return { state: 'done' }
  }

  isTargetDown(error: unknown): boolean {
    if (error instanceof ReceiverError) return !messageStatuses.includes(error.status)
    return error instanceof AppError
  }

  retryAfterMs(error: unknown): number | undefined {
    return error instanceof ReceiverError ? error.retryAfterMs : undefined
  }

  /**
   * Sends a message once, published or not, and returns what the receiver answered; undefined for an email, which is stored to be
   * sent. Throws a ReceiverError without an answer.
   */
  async sendOnce(
    id: number,
    message: MessageContent,
    signal: AbortSignal,
  ): Promise<{ webhook: CalledWebhook; answer: ReceiverAnswer | undefined } | undefined> {
    const webhook = await this.#find(id)
    if (webhook === undefined) return undefined
    if (webhook.format !== 'email')
      return { webhook, answer: await this.#post(webhook, { message, permit: undefined, signal }) }
    const text = this.#writeAlert({ ...message, events: 1 }, undefined)
    await this.#options.sendEmail(toEmail(webhook, message, text), async () => true)
    return { webhook, answer: undefined }
  }

  #find(id: number): Promise<WebhookToCall | undefined> {
    return this.#db
      .selectFrom('webhooks')
      .leftJoin('webhook_states', 'webhook_states.webhook_id', 'webhooks.id')
      .selectAll('webhooks')
      .select(['failing_since', 'last_success_at'])
      .where('webhooks.id', '=', id)
      .executeTakeFirst()
  }

  /** The receiver wants no more messages. */
  async #end(webhook: CalledWebhook, answer: ReceiverAnswer): Promise<OutboxResult> {
    const problem = describeAnswer(answer)
    await this.#options.states.kill(webhook, problem)
    return { state: 'failed', problem }
  }

  async #post(
    webhook: WebhookToCall,
    {
      message,
      permit,
      signal,
    }: {
      message: MessageContent & { events?: number }
      permit: AlertPermit | undefined
      signal: AbortSignal
    },
  ): Promise<ReceiverAnswer> {
    const { secrets, send, clock } = this.#options
    const now = clock.now()
    const address = await secrets.open(webhook, 'url')
    if (typeof address !== 'string') throw secretUnreadable(webhook.name)
    if (webhook.format === 'chat') {
      const { text } = this.#writeAlert({ events: 1, ...message }, permit)
      return callReceiver(send, { address, body: JSON.stringify({ text }), signal, now })
    }
    const { message_id: messageId, body } = message
    const signed = { messageId, sentAt: now, body }
    const headers = signedHeaders(signed, await this.#findSecrets(webhook, now))
    return callReceiver(send, { address, headers, body, signal, now })
  }

  /** Returns the current secret, and the one before it for some time. */
  async #findSecrets(webhook: WebhookToCall, now: number): Promise<string[]> {
    const { secrets } = this.#options
    const current = await secrets.open(webhook, 'secret')
    if (current === undefined) throw secretUnreadable(webhook.name)
    const isOldUsed = webhook.old_secret_until !== null && webhook.old_secret_until > now
    const old = isOldUsed ? await secrets.open(webhook, 'old_secret') : null
    return [current, old].filter((secret) => typeof secret === 'string')
  }

  /** The email is stored, and the message done, in one transaction: so it is sent once. */
  async #sendEmail(
    webhook: WebhookToCall,
    message: WebhookMessageRow,
    permit: AlertPermit | undefined,
  ): Promise<void> {
    const { limit, sendEmail, clock } = this.#options
    const email = toEmail(webhook, message, this.#writeAlert(message, permit))
    await sendEmail(email, async (anyTx) => {
      const tx = anyTx as Kysely<WebhookTables>
      const end = { state: 'done' as const, due_at: clock.now(), problem: null }
      const { numUpdatedRows } = await tx
        .updateTable('webhook_messages')
        .set(end)
        .where('id', '=', message.id)
        .where('state', '=', 'queued')
        .where('attempts', '=', message.attempts)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      if (permit !== undefined) await limit.noteSent(message, permit, tx)
      return true
    })
  }

  #writeAlert(
    { body, events }: { body: string; events: number },
    permit: AlertPermit | undefined,
  ): AlertText {
    const { clock, publicUrl } = this.#options
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> }
    const { leftOut = 0, since = clock.now() } = permit ?? {}
    return writeAlert({ type, data, more: leftOut + events - 1, since, publicUrl })
  }
}

/** The content of the message that a test sends. */
export function testMessage(messageId: string, timestamp: string): MessageContent {
  const data = { message: 'This is a test. The webhook works.' }
  return { message_id: messageId, body: JSON.stringify({ type: testType, timestamp, data }) }
}

function toEmail(
  { id, email_to: to, transport_id: transportId }: WebhookToCall,
  { message_id: messageId }: MessageContent,
  { subject, text }: AlertText,
): AlertEmail {
  return { webhookId: id, messageId, to: to ?? '', transportId, subject, text }
}
