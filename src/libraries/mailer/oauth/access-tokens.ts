import type { Clock } from '../../../kit/clock.ts'
import type { Connector } from '../connect/connector.ts'
import { HttpClient } from '../connect/http-client.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import { AccessToken } from './access-token.ts'
import type { RefreshTokenStore } from './refresh-token-store.ts'
import type { TokenGrant } from './token-grant.ts'

interface AccessTokensParts {
  readonly connector: Connector
  readonly clock: Clock
  readonly refreshTokens: RefreshTokenStore
}

/** The access tokens of a transport, and the client that requests them: close it with the transport. */
export class AccessTokens {
  readonly #grant: TokenGrant
  readonly #parts: AccessTokensParts
  readonly #http: HttpClient
  readonly #tokens = new Map<string, AccessToken>()

  /** @param observer Receives the dialogue with the token endpoint, for a test. */
  constructor(grant: TokenGrant, parts: AccessTokensParts, observer: Observer = noObserver) {
    this.#grant = grant
    this.#parts = parts
    this.#http = new HttpClient({
      connector: parts.connector,
      // A service account requests a token for each mailbox.
      connectionsMax: 10,
      // The steps of this connection are not those of the delivery.
      observer: {
        enter() {},
        found() {},
        sent: (line) => observer.sent(line),
        received: (code, lines) => observer.received(code, lines),
      },
    })
  }

  /** Returns the token for a mailbox: one for all, or for a service account one for each. */
  of(mailbox: string): AccessToken {
    const { clock, refreshTokens } = this.#parts
    const key = this.#grant.type === 'jwt_bearer' ? mailbox : ''
    const existing = this.#tokens.get(key)
    if (existing !== undefined) return existing
    const token = new AccessToken(this.#grant, mailbox, { http: this.#http, clock, refreshTokens })
    this.#tokens.set(key, token)
    return token
  }

  /** Drops the token of a service account for a mailbox that sends no more. */
  release(mailbox: string): void {
    if (this.#grant.type === 'jwt_bearer') this.#tokens.delete(mailbox)
  }

  /** Closes the client; waits up to 10 s for a request that may bring a refresh token, which has to be stored. */
  async close(): Promise<void> {
    const isReplacing = this.#grant.type === 'refresh_token'
    if (isReplacing) for (const token of this.#tokens.values()) await token.settle()
    await this.#http.close()
  }
}
