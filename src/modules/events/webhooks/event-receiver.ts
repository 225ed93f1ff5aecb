import { hash, timingSafeEqual } from 'node:crypto'
import type { Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import { SingleFlight } from '../../../kit/single-flight.ts'
import type { WorkQueue } from '../../../kit/work-queue.ts'
import {
  findProviderWebhooks,
  type ProviderEvent,
  type ProviderWebhooks,
  type Verification,
  WebhookError,
} from '../../../libraries/mailer/index.ts'
import { checkJsonSize, createNetworkLimit, HttpError } from '../../../platform/http/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { ReceivedEvents } from '../events/received-events.ts'
import type { TransportWebhookCounts, WebhookSums } from './transport-webhook-counts.ts'
import {
  addToken,
  type StoredWebhook,
  type TransportWebhookStore,
} from './transport-webhook-store.ts'
import { webhookUrl } from './transport-webhooks.ts'

export interface EventReceiverOptions {
  storage: Storage
  store: TransportWebhookStore
  counts: TransportWebhookCounts
  received: ReceivedEvents
  /** Where the reading of large bodies takes turns. */
  work: WorkQueue
  clock: Clock
  /** Where providers reach Mailyard. */
  publicUrl: string
  /** Obeys the outbound policy. */
  fetch: typeof fetch
}

/** A request to the address of a webhook, whose secret is the right one. */
export interface ReceivedRequest {
  headers: Readonly<Record<string, string | undefined>>
  body: Buffer
}

/** A smaller body is read in a few milliseconds. */
const largeBytes = 65_536

/** Takes the requests of providers: verifies, reads and stores them. What it refuses changes nothing. */
export class EventReceiver {
  readonly #options: EventReceiverOptions
  readonly #wrongSecrets = createNetworkLimit()
  /** Many guesses at once cost one look-up. */
  readonly #lookUps = new SingleFlight<number, StoredWebhook[]>()

  constructor(options: EventReceiverOptions) {
    this.#options = options
  }

  /**
   * Finds the webhook of an address. The right secret is never limited: others of its network may guess.
   *
   * @param address Of the client.
   * @throws AppError (`not_found`), the same for an unknown transport and a wrong secret; `rate_limited` after many of them.
   */
  async find(transportId: string, secret: string, address: string): Promise<StoredWebhook> {
    const id = /^\d{1,15}$/.test(transportId) ? Number(transportId) : 0
    const webhooks = await this.#lookUps.run(id, () => this.#options.store.list(id))
    // All are compared, so that the time says nothing.
    const [webhook] = webhooks.filter((each) => isSecretOf(each, secret))
    if (webhook !== undefined) return webhook
    const [first] = webhooks
    if (first !== undefined) this.#options.counts.add(first.key, { refused: 1 })
    const waitSeconds = await this.#wrongSecrets.take(address)
    if (waitSeconds > 0) throw tooManyWrong(waitSeconds)
    throw new AppError('not_found', 'webhook_not_found', 'There is no webhook at this address.')
  }

  /**
   * Stores the events of a request. They are on the disk when this resolves.
   *
   * @throws AppError, or HttpError (502, 503) where a subscription or the sender could not be confirmed now, or too much waits.
   */
  async receive(webhook: StoredWebhook, request: ReceivedRequest): Promise<void> {
    const { clock, counts, received } = this.#options
    const { transportId, provider } = webhook.key
    const webhooks = findProviderWebhooks(provider)
    if (webhooks === undefined) throw this.refuse(webhook, providerUnknown(provider))
    const now = clock.now()
    if (await received.isFull(transportId)) throw this.#postpone(webhook)
    await this.#takeTurn(webhook, request)
    this.#checkSize(webhook, request)
    const verified = await this.#verify(webhook, webhooks, { request, now })
    if (!verified.isGenuine) throw this.refuse(webhook, notGenuine(verified.problem))
    await this.#confirm(webhook, verified)
    await this.#takeTurn(webhook, request)
    const events = await this.#read(webhook, webhooks, request)
    const { token } = verified
    const isNew = await this.#options.storage.transaction(
      async (tx: Transaction<object>) => {
        if (token !== undefined && !(await addToken(tx, webhook.key, { token, now }))) return false
        await received.add(tx, { transportId, provider, events, receivedAt: now })
        return true
      },
      { keeps: (isStored) => isStored },
    )
    // Nothing has to be repaired after a repeated request.
    if (!isNew) throw this.#count(webhook, replayed())
    received.notify()
    const hasEvents = events.length > 0 && verified.confirmUrl === undefined
    counts.noteGenuine(webhook.key, now, { hasEvents })
    counts.add(webhook.key, sumsOf(events))
  }

  /** Counts a refused request and keeps the reason, which is returned. */
  refuse(webhook: StoredWebhook, error: AppError): AppError {
    this.#options.counts.noteProblem(webhook.key, this.#options.clock.now(), error.message)
    return this.#count(webhook, error)
  }

  /** The provider repeats the request. */
  #postpone({ key }: StoredWebhook): HttpError {
    const problem = 'Too many events wait to be applied. They are received again once these are.'
    this.#options.counts.noteProblem(key, this.#options.clock.now(), problem)
    return new HttpError(503, problem, { 'retry-after': '60' })
  }

  #count(webhook: StoredWebhook, error: AppError): AppError {
    this.#options.counts.add(webhook.key, { refused: 1 })
    return error
  }

  /** Lets others go first before a large body is hashed or read, which takes some milliseconds. */
  async #takeTurn({ key }: StoredWebhook, { body }: ReceivedRequest): Promise<void> {
    if (body.length > largeBytes) await this.#options.work.turn(`webhook ${key.transportId}`)
  }

  /** A signature may be inside the body, which is then parsed before it is known to be genuine. */
  #checkSize(webhook: StoredWebhook, { body }: ReceivedRequest): void {
    try {
      if (isJson(body)) checkJsonSize(body)
    } catch (error) {
      throw error instanceof AppError ? this.refuse(webhook, error) : error
    }
  }

  async #verify(
    webhook: StoredWebhook,
    webhooks: ProviderWebhooks,
    { request, now }: { request: ReceivedRequest; now: number },
  ): Promise<Verification> {
    if (webhooks.verify === undefined) return { isGenuine: true }
    const { publicUrl, fetch, counts } = this.#options
    const { key, row, secret = '', signingKey } = webhook
    const url = webhookUrl(publicUrl, key.transportId, secret)
    const { pinned } = row
    try {
      return await webhooks.verify({ ...request, url }, { signingKey, pinned, now, fetch })
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      // What the verification needs cannot be fetched now. The provider repeats the request.
      counts.noteProblem(key, now, error.message)
      throw new HttpError(503, error.message, { 'retry-after': '60' })
    }
  }

  /** Pins the sender of the first genuine request, and confirms its subscription. */
  async #confirm(
    webhook: StoredWebhook,
    { pin, confirmUrl }: Verification & { isGenuine: true },
  ): Promise<void> {
    if (pin !== undefined && pin !== webhook.row.pinned) {
      const isPinned = await this.#options.store.pin(webhook.key, pin)
      if (!isPinned) throw this.refuse(webhook, otherSender())
    }
    if (confirmUrl === undefined) return
    const fault = await findFault(this.#options.fetch, confirmUrl)
    if (fault === undefined) return
    const problem = `The subscription could not be confirmed. ${fault}`
    this.#options.counts.noteProblem(webhook.key, this.#options.clock.now(), problem)
    // The provider then repeats its request.
    throw new HttpError(502, problem)
  }

  async #read(
    webhook: StoredWebhook,
    webhooks: ProviderWebhooks,
    { headers, body }: ReceivedRequest,
  ): Promise<ProviderEvent[]> {
    try {
      return await webhooks.read(body, headers['content-type'])
    } catch (error) {
      throw error instanceof WebhookError ? this.refuse(webhook, unreadable(error)) : error
    }
  }
}

/** Compares in constant time. */
function isSecretOf(webhook: StoredWebhook, secret: string): boolean {
  const isEqual = timingSafeEqual(digestOf(webhook.secret ?? ''), digestOf(secret))
  return isEqual && webhook.secret !== undefined
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Requests a URL; returns what went wrong, in a sentence. */
async function findFault(request: typeof fetch, url: string): Promise<string | undefined> {
  try {
    const answer = await request(url)
    await answer.body?.cancel()
    return answer.ok ? undefined : `${new URL(url).host} answered ${answer.status}.`
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** Whether a body has the form of JSON. Others are forms. */
function isJson(body: Buffer): boolean {
  return /^\s*[{[]/.test(body.toString('latin1', 0, 64))
}

function sumsOf(events: readonly ProviderEvent[]): WebhookSums {
  const sums: WebhookSums = {}
  for (const { type } of events) sums[type] = (sums[type] ?? 0) + 1
  return sums
}

const tooManyWrong = (retryAfterSeconds: number) =>
  new AppError(
    'rate_limited',
    'webhook_guessed',
    `Too many requests of this network went to addresses without a webhook. Check the address, and try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )

const notGenuine = (problem: string) =>
  new AppError('unauthenticated', 'webhook_not_genuine', problem)

const otherSender = () =>
  new AppError(
    'forbidden',
    'webhook_other_sender',
    'The request comes from another sender than the first one, such as another SNS topic. If it is the right one, delete the webhook and create it again.',
  )

const replayed = () =>
  new AppError('conflict', 'webhook_repeated', 'This request was received before.')

const unreadable = ({ message }: WebhookError) =>
  new AppError('invalid', 'webhook_unreadable', message)

const providerUnknown = (provider: string) =>
  new AppError(
    'not_found',
    'webhook_provider_unknown',
    `This version of Mailyard reads no events of the provider "${provider}".`,
  )
