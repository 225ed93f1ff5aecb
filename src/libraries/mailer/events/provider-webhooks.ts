/**
 * What a provider can say of a message that it accepted.
 * @example
 * ```ts
 * const counts = new Map(eventTypes.map((type) => [type, 0]))
 * ```
 */
export const eventTypes = [
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'unsubscribed',
  'rejected',
] as const

/**
 * One of `eventTypes`.
 * @example
 * ```ts
 * const suppressing: EventType[] = ['bounced', 'complained', 'unsubscribed']
 * ```
 */
export type EventType = (typeof eventTypes)[number]

/**
 * What a provider says of one recipient of a message.
 * @example
 * ```ts
 * const describe = ({ recipient, type, reason }: ProviderEvent) => `${recipient} ${type}: ${reason}`
 * ```
 */
export interface ProviderEvent {
  /** `ignored`: opens, clicks, what was sent or queued, and what is unknown. */
  readonly type: EventType | 'ignored'
  /** The address; null if the provider does not name it. */
  readonly recipient: string | null
  /** The id that the provider gave the message. */
  readonly providerId: string | null
  /** Other ids by which the message is known: its Message-ID, or what the API answered. With or without angle brackets. */
  readonly otherIds: readonly string[]
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number | null
  /** Of `bounced`: whether the address cannot be delivered to for good (`hard`), or was given up for now. */
  readonly class: 'hard' | 'soft' | null
  /** The words of the recipient's server, else those of the provider. */
  readonly reason: string | null
  /** The provider's own id of the event, if it is the same when the event is sent again. */
  readonly eventId: string | null
}

/**
 * A request to the address of a webhook.
 * @example
 * ```ts
 * const request: WebhookRequest = {
 *   url: 'https://mail.example.com/webhooks/transports/1/SECRET',
 *   headers: { 'content-type': 'application/json' },
 *   body: Uint8Array.from('[]'),
 * }
 * ```
 */
export interface WebhookRequest {
  /** The URL as it is configured at the provider. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * What verifying a request needs.
 * @example
 * ```ts
 * const options: VerifyOptions = { signingKey: null, pinned: null, now: Date.now(), fetch }
 * ```
 */
export interface VerifyOptions {
  /** Null: none is configured. */
  readonly signingKey: string | null
  /** What the first genuine request named as its sender, such as the topic of SNS; null before that. */
  readonly pinned: string | null
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Obeys the outbound policy. */
  readonly fetch: typeof fetch
}

/**
 * Whether a request is genuine.
 * @example
 * ```ts
 * const statusOf = (verification: Verification) => (verification.isGenuine ? 200 : 403)
 * ```
 */
export type Verification =
  | {
      readonly isGenuine: true
      /** A value that genuine requests never repeat: one that was seen before is a replay. */
      readonly token?: string
      /** What later requests have to name as their sender, too. */
      readonly pin?: string
      /** A URL that is to be fetched now, to confirm the subscription. */
      readonly confirmUrl?: string
    }
  | {
      readonly isGenuine: false
      /** A sentence: what is wrong, and what to do. */
      readonly problem: string
    }

/**
 * How a provider tells what happened to messages. `webhooks` of a `Provider`.
 * @example
 * ```ts
 * const readEvents = (webhooks: ProviderWebhooks, body: Uint8Array) => webhooks.read(body)
 * ```
 */
export interface ProviderWebhooks {
  /** What the signing key is called at the provider; undefined where it signs nothing, and the secret in the address proves it. */
  readonly signingKeyLabel?: string
  /** Returns what is wrong with a signing key, as a sentence; undefined where its form is right, or any form is. */
  checkKey?(signingKey: string): string | undefined
  /** Verifies a request. Undefined where only the secret in the address proves it. */
  verify?(request: WebhookRequest, options: VerifyOptions): Promise<Verification>
  /**
   * Reads the events of a request body.
   *
   * @param contentType Undefined: it is found out from the body.
   * @throws {WebhookError} for what is not a webhook of the provider.
   */
  read(body: Uint8Array, contentType?: string): Promise<ProviderEvent[]>
  /** What to click at the provider, in order, with the address filled in. */
  steps(url: string): readonly string[]
}

/**
 * A request that cannot be read or verified. The message says what to do.
 * @example
 * ```ts
 * try {
 *   await findProviderWebhooks('sendgrid')?.read(new TextEncoder().encode('<html>'))
 * } catch (error) {
 *   if (error instanceof WebhookError) console.log(error.message) // The body is not JSON. …
 * }
 * ```
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}
