import type { Clock } from '../clock.ts'
import type { Connector } from '../connect/connector.ts'
import { type HttpClient, openHttpClient } from '../connect/http-client.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import { AccessToken } from './access-token.ts'
import type { RefreshTokenStore } from './refresh-token-store.ts'
import { answerBytesMax, requestMs } from './request-token.ts'
import type { TokenGrant } from './token-grant.ts'

/** Dependencies of the access tokens of a transport. */
interface AccessTokensParts {
  readonly connector: Connector
  readonly clock: Clock
  /** Undefined if replaced refresh tokens are remembered in memory only. */
  readonly refreshTokens: RefreshTokenStore | undefined
}

/** The access tokens of a transport, and the client that requests them: close it with the transport. */
export class AccessTokens {
  readonly #grant: TokenGrant
  readonly #parts: AccessTokensParts
  readonly #http: HttpClient
  #shared: AccessToken | undefined

  /** @param observer Receives the dialogue with the token endpoint, for a test. */
  constructor(grant: TokenGrant, parts: AccessTokensParts, observer: Observer = noObserver) {
    this.#grant = grant
    this.#parts = parts
    this.#http = openHttpClient({
      connector: parts.connector,
      connectionsMax: 2,
      timeoutMs: requestMs,
      // One byte more, so that a longer answer is noticed.
      responseBytesMax: answerBytesMax + 1,
      // The steps of this connection are not those of the delivery.
      observer: {
        enter() {},
        found() {},
        sent: (line) => observer.sent(line),
        received: (code, lines) => observer.received(code, lines),
      },
    })
  }

  /** Returns the token for a mailbox: one for all, or for a service account a new one, which the caller keeps. */
  of(mailbox: string): AccessToken {
    if (this.#grant.type === 'jwt_bearer') return this.#create(mailbox)
    this.#shared ??= this.#create(mailbox)
    return this.#shared
  }

  close(): void {
    this.#http.close()
  }

  #create(mailbox: string): AccessToken {
    const { clock, refreshTokens } = this.#parts
    return new AccessToken(this.#grant, mailbox, { http: this.#http, clock, refreshTokens })
  }
}
