export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  /** An absolute https URL. A plain http URL is requested without TLS: its caller checks that this is allowed. */
  readonly url: string
  /** Without host, content-length and user-agent, which the client adds. */
  readonly headers: Readonly<Record<string, string>>
  /** '' for none. */
  readonly body: string | Uint8Array
  /** Whether the response holds a secret such as a token. Its body is then masked in transcripts. */
  readonly hasSecretResponse?: boolean
}

/**
 * A response with any status.
 * @example
 * ```ts
 * const isBusy = ({ status }: HttpResponse) => status === 429
 * ```
 */
export interface HttpResponse {
  readonly status: number
  /** Names are in lower case; headers with the same name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded as UTF-8, as far as it was received. */
  readonly body: string
}

/** A response as the client received it. */
export interface ReceivedResponse extends HttpResponse {
  /** Whether the body is whole, larger than the client reads, or was cut off by the end of the connection. */
  readonly ending: 'whole' | 'too_large' | 'cut_off'
}

/**
 * Reads the header `Retry-After`, seconds or a date.
 * @see RFC 9110, section 10.2.3
 * @example
 * ```ts
 * const wait = (answer: HttpResponse) => retryAfterMs(answer, Date.now()) ?? 3_000
 * ```
 */
export function retryAfterMs({ headers }: HttpResponse, now: number): number | undefined {
  const value = headers['retry-after'] ?? ''
  if (/^\d{1,7}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
