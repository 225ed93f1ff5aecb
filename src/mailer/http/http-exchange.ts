/** A request as an adapter makes it. */
export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'PUT'
  /** Absolute, https. */
  readonly url: string
  /** Without host and length, which the client adds. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** An answer as an adapter gets it, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; several of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded as UTF-8, cut at the size limit. */
  readonly body: string
}
