import type { Outcome } from '../delivery/delivery-result.ts'
import type { HttpAnswer, HttpRequest } from '../http/http-exchange.ts'
import type { Message } from '../message/message.ts'
import type { ParsedMessage } from '../message/parsed-message.ts'

/** A message as an adapter takes it: the bytes, and its parts for an API that takes no raw MIME. */
export interface ApiMessage extends Message {
  /** Parses the bytes, once however often it is called. Recipients agree with the envelope. */
  parse(): Promise<ParsedMessage>
}

/** What an adapter may use while it makes a request. */
export interface ApiTools {
  now(): Date
  /** A fresh UUID, for boundaries and idempotency keys. */
  uuid(): string
  /** Another request to the provider, such as one for a token; same checks and limits as the message's. */
  fetch(request: HttpRequest): Promise<HttpAnswer>
}

/** What the provider's refusal is about; without it the HTTP status decides. */
export type RefusalKind =
  | 'credentials'
  | 'quota'
  | 'throttled'
  | 'too_large'
  | 'sender'
  | 'recipient'
  | 'message'
  | 'provider'

/** One recipient's lot, where the provider tells it. */
export interface ApiRecipient {
  readonly address: string
  readonly outcome: Outcome
  readonly text?: string
  readonly isPermanent?: boolean
}

/** An answer, read: the provider took the message, or says why not. */
export type ApiVerdict =
  | {
      readonly isAccepted: true
      readonly messageId: string | null
      readonly recipients?: readonly ApiRecipient[]
    }
  | {
      readonly isAccepted: false
      /** The provider's own words. */
      readonly text: string
      /** The provider's own error code. */
      readonly code?: string
      readonly kind?: RefusalKind
      /** Where the provider says it in the body; a `Retry-After` header is read for every adapter. */
      readonly retryAfterMs?: number
    }

/** What a provider's API can take in one call. */
export interface ApiLimits {
  readonly recipientsMax?: number
  /** Of the message as RFC 5322 has it. */
  readonly sizeBytesMax?: number
  /** Messages in one call of the provider's batch endpoint; told to whoever plans a bulk job. */
  readonly batchMax?: number
}

/**
 * One provider API, with the credentials of one DSN. It makes requests and reads answers; sending,
 * time limits, addresses, retries and what an unreadable answer means belong to the API transport.
 */
export interface ApiAdapter {
  /** `https://host` or `https://host:port`, where the messages go. */
  readonly endpoint: string
  readonly limits: ApiLimits
  /** Messages a second that the DSN allows; null for no limit. */
  readonly maxPerSecond?: number | null
  /** The one request that delivers the message. Throws RefusedMessage for one that the API cannot carry. */
  request(message: ApiMessage, tools: ApiTools): HttpRequest | Promise<HttpRequest>
  /**
   * Reads an answer of any status but redirects; undefined when it is not one of the provider's, which
   * makes a success status uncertain.
   */
  readAnswer(answer: HttpAnswer): ApiVerdict | undefined
}
