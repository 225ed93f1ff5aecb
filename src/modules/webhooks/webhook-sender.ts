import type { Kysely } from 'kysely'
import { findMissing, testType } from '../../core/published/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, mayUse, owns } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { OutboxResult, OutboxSender } from '../../platform/outbox/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { AlertLimit } from './alert-limit.ts'
import { writeAlert } from './alert-text.ts'
import {
  callReceiver,
  checkAccepted,
  describeAnswer,
  type ReceiverAnswer,
  ReceiverError,
  type SendRequest,
} from './call-receiver.ts'
import { signedHeaders } from './sign.ts'
import type { WebhookMessageRow, WebhookRow, WebhookTables } from './table.ts'
import { secretUnreadable, type WebhookSecrets } from './webhook-secrets.ts'
import type { CalledWebhook, WebhookStates } from './webhook-states.ts'

export interface WebhookSenderOptions {
  storage: Storage
  secrets: WebhookSecrets
  states: WebhookStates
  limit: AlertLimit
  send: SendRequest
  /** Finds who the stamp of a record names, with their current permissions and brands. */
  findStamped: (
    id: number | null,
    name: string | null,
  ) => Promise<Pick<Caller, 'brands' | 'can'> | undefined>
  /** What links start with; undefined without one. */
  publicUrl: string | undefined
  clock: Clock
}

type MessageContent = Pick<WebhookMessageRow, 'message_id' | 'body'>

/** One request to a receiver. */
interface Post {
  message: MessageContent & { events?: number }
  /** How many events were left out before it. */
  leftOut: number | undefined
  signal: AbortSignal
}

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
    const hidden = await this.#findHidden(webhook, message)
    if (hidden !== undefined) {
      await states.noteRefusal(webhook, hidden)
      return { state: 'failed', problem: hidden }
    }
    const leftOut = webhook.format === 'chat' ? await limit.permit(message) : undefined
    if (webhook.format === 'chat' && leftOut === undefined) return { state: 'needless' }
    try {
      const answer = await this.#post(webhook, { message, leftOut, signal })
      if (answer.status === goneStatus) return await this.#end(webhook, answer)
      checkAccepted(answer)
    } catch (error) {
      if (!(error instanceof ReceiverError || error instanceof AppError)) throw error
      const { message: problem } = error
      if (!this.isTargetDown(error)) await states.noteRefusal(webhook, problem)
      else if (await states.noteFailure(webhook, problem)) return { state: 'failed', problem }
      throw error
    }
    if (leftOut !== undefined) await limit.noteSent(message, leftOut)
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
   * Sends a message once, published or not, and returns what the receiver answered; undefined without such a webhook. Throws a
   * ReceiverError without an answer.
   */
  async sendOnce(
    id: number,
    message: MessageContent,
    signal: AbortSignal,
  ): Promise<{ webhook: CalledWebhook; answer: ReceiverAnswer } | undefined> {
    const webhook = await this.#find(id)
    if (webhook === undefined) return undefined
    return { webhook, answer: await this.#post(webhook, { message, leftOut: undefined, signal }) }
  }

  /** Returns why a message is not sent: who saved the webhook last may not see it any more. */
  async #findHidden(
    webhook: WebhookRow,
    { type, brand_id: brand }: WebhookMessageRow,
  ): Promise<string | undefined> {
    // It was another's when the event was queued.
    if (!mayUse(webhook, brand))
      return `${type} is not sent: it is not of the brand of the webhook.`
    const isEdited = webhook.date_modified !== null
    const name = isEdited ? webhook.modified_by : webhook.created_by
    const id = isEdited ? webhook.modified_by_id : webhook.created_by_id
    const author = await this.#options.findStamped(id, name)
    const missing = findMissing([type], author ?? { can: () => false })
    if (author !== undefined && !owns(author, brand)) missing.push('its brand')
    if (missing.length === 0) return undefined
    return `${type} is not sent: ${name ?? 'The author'}, who saved the webhook last, lacks ${missing.join(', ')}. Save it as a user who has that.`
  }

  #find(id: number): Promise<WebhookToCall | undefined> {
    return this.#db
      .selectFrom('webhooks')
      .leftJoin('webhook_states', 'webhook_states.webhook_id', 'webhooks.id')
      .selectAll('webhooks')
      .select(['failing_since', 'last_success_at', 'problem'])
      .where('webhooks.id', '=', id)
      .executeTakeFirst()
  }

  /** The receiver wants no more messages. */
  async #end(webhook: CalledWebhook, answer: ReceiverAnswer): Promise<OutboxResult> {
    const problem = describeAnswer(answer)
    await this.#options.states.kill(webhook, problem)
    return { state: 'failed', problem }
  }

  async #post(webhook: WebhookToCall, { message, leftOut, signal }: Post): Promise<ReceiverAnswer> {
    const { secrets, send, clock } = this.#options
    const now = clock.now()
    const address = await secrets.open(webhook, 'url')
    if (!address) throw secretUnreadable(webhook.name)
    const { message_id: messageId, body, events = 1 } = message
    if (webhook.format === 'chat') {
      const text = this.#writeAlert(body, events, leftOut)
      return callReceiver(send, { address, body: JSON.stringify({ text }), signal, now })
    }
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

  #writeAlert(body: string, events: number, leftOut = 0): string {
    const { publicUrl } = this.#options
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> }
    return writeAlert({ type, data, more: leftOut + events - 1, publicUrl })
  }
}

/** The content of the message that a test sends. */
export function testMessage(messageId: string, timestamp: string): MessageContent {
  const data = { message: 'This is a test. The webhook works.' }
  return { message_id: messageId, body: JSON.stringify({ type: testType, timestamp, data }) }
}
