/** A request as an adapter makes it. */
export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'PUT'
  /** Absolute, https. */
  readonly url: string
  /** Without host, length and agent, which the client adds. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Whether the answer holds a secret, such as a token: whoever watches is not shown its body. */
  readonly hasSecretAnswer?: boolean
}

/** An answer as an adapter gets it, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; several of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded as UTF-8, cut at the size limit. */
  readonly body: string
}
