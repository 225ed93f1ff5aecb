import type { HttpRequest, HttpResponse } from '../connect/http-message.ts'
import type { SendOutcome } from '../delivery/delivery-result.ts'
import type { Message } from '../message/message.ts'
import type { ParsedMessage } from '../message/parse-message.ts'
import type { TokenGrant } from '../oauth/token-grant.ts'
import type { Secret } from '../secret.ts'

/** The message that an adapter sends: the bytes, and on demand the parsed fields for an API without raw MIME. */
export interface ApiMessage extends Message {
  /** Parses the bytes; the result is cached. Its recipients are those of the envelope. */
  parse(): Promise<ParsedMessage>
}

/** Services for an adapter that builds a request. */
export interface ApiTools {
  now(): Date
  /** Returns a new UUID, for boundaries and idempotency keys. */
  uuid(): string
  /**
   * Returns the access token of the adapter's grant.
   * @throws {FaultError}
   */
  accessToken(): Promise<Secret>
}

/** What a refusal of the provider is about. Without it the HTTP status decides. */
export type RefusalKind =
  | 'credentials'
  | 'quota'
  | 'throttled'
  | 'too_large'
  | 'sender'
  | 'recipient'
  | 'message'
  | 'provider'

/** The result of one recipient, when the provider reports it. */
export interface ApiRecipient {
  readonly address: string
  readonly outcome: SendOutcome
  readonly text?: string
  readonly isPermanent?: boolean
}

/** The meaning of a response: the provider accepted the message, or says why not. */
export type ApiResult =
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
      /** When the body says it. The header `Retry-After` is read for every adapter. */
      readonly retryAfterMs?: number
    }

/** What a provider's API accepts in one call. */
export interface ApiLimits {
  readonly recipientsMax?: number
  /** The size of the message in the format of RFC 5322. */
  readonly sizeBytesMax?: number
  /** Messages in one call of the provider's batch endpoint, for the planning of bulk jobs. */
  readonly batchMax?: number
}

/**
 * The API of one provider with the credentials of one DSN. It builds requests and reads responses. The API transport
 * does the rest: sending, time limits, allowed addresses, retries and unreadable responses.
 */
export interface ApiAdapter {
  /** `https://host` or `https://host:port`. */
  readonly endpoint: string
  readonly limits: ApiLimits
  /** Messages per second that the DSN allows; null for no limit. */
  readonly maxPerSecond?: number | null
  /** How the access token is obtained, for an API with OAuth. A message is sent once more after a response 401. */
  readonly grant?: TokenGrant
  /**
   * Builds the request that sends the message.
   * @throws {FaultError} when the API cannot represent the message.
   */
  request(message: ApiMessage, tools: ApiTools): HttpRequest | Promise<HttpRequest>
  /**
   * Reads a response with any status but a redirect.
   * @returns Undefined when the response is not in the provider's format. The outcome of a 2xx is then uncertain.
   */
  readResponse(response: HttpResponse): ApiResult | undefined
}
