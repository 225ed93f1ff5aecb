import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { HttpClient } from '../connect/http-client.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { Secret } from '../secret.ts'
import type { RefreshTokenStore } from './refresh-token-store.ts'
import { type IssuedToken, requestToken } from './request-token.ts'
import { cancelledToken, tokenNotRead, tokenNotStored } from './token-fault.ts'
import type { TokenGrant } from './token-grant.ts'

/** Dependencies of an access token. */
interface AccessTokenParts {
  readonly http: Pick<HttpClient, 'send'>
  readonly clock: Clock
  /** Undefined if replaced refresh tokens are remembered in memory only. */
  readonly refreshTokens: RefreshTokenStore | undefined
}

/** A token is not used in its last minutes, because log-ins take time and clocks differ. */
const marginMs = 5 * 60_000
/** Where the token endpoint does not say when a token ends. A token that is refused sooner is replaced. */
const lifetimeMsDefault = 10 * 60_000

/**
 * The access token of one grant and mailbox. It is fetched when it is needed, once for all that wait, and kept until five
 * minutes before its end.
 */
export class AccessToken {
  readonly #grant: TokenGrant
  readonly #mailbox: string
  readonly #parts: AccessTokenParts
  #token: Secret | undefined
  #usableUntil = 0
  #pending: Promise<Secret> | undefined
  /** The last refresh token; undefined for that of the grant. */
  #refreshToken: Secret | undefined
  #isStored = true
  #redact: Redactor = (text) => text

  constructor(grant: TokenGrant, mailbox: string, parts: AccessTokenParts) {
    this.#grant = grant
    this.#mailbox = mailbox
    this.#parts = parts
  }

  /**
   * Returns the token; fetches it if none is cached. The signal ends the wait, not the fetch, for which others may wait.
   * @throws {FaultError}
   */
  get(signal?: AbortSignal): Promise<Secret> {
    if (signal?.aborted) return Promise.reject(cancelledToken())
    if (this.#token !== undefined && this.#isStored && this.#now() < this.#usableUntil)
      return Promise.resolve(this.#token)
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return signal === undefined ? this.#pending : unlessAborted(this.#pending, signal)
  }

  /** Drops the token if it is still this one, after a server refused it: the next call fetches another. */
  forget(token: Secret): void {
    if (this.#token === token) this.#token = undefined
  }

  /** Masks the last tokens in a text. */
  readonly redact: Redactor = (text) => this.#redact(text)

  #now(): number {
    return this.#parts.clock.now()
  }

  async #fetch(): Promise<Secret> {
    await this.#store()
    if (this.#token !== undefined && this.#now() < this.#usableUntil) return this.#token
    const askedAt = this.#now()
    const issued = await this.#request()
    const { accessToken, lifetimeMs = lifetimeMsDefault, refreshToken } = issued
    const secrets = [this.#token, accessToken, this.#refreshToken, refreshToken]
    this.#redact = createRedactor(secrets.flatMap((secret) => secret?.reveal() ?? []))
    this.#token = accessToken
    this.#usableUntil = askedAt + lifetimeMs - Math.min(marginMs, lifetimeMs / 2)
    const isReplaced =
      refreshToken !== undefined && refreshToken.reveal() !== this.#currentRefreshToken()
    if (isReplaced) {
      this.#refreshToken = refreshToken
      this.#isStored = false
      await this.#store()
    }
    return accessToken
  }

  async #request(): Promise<IssuedToken> {
    const { http } = this.#parts
    const ask = () =>
      requestToken(this.#grant, {
        http,
        now: this.#now(),
        mailbox: this.#mailbox,
        refreshToken: this.#refreshToken,
      })
    await this.#readStored()
    const used = this.#currentRefreshToken()
    try {
      return await ask()
    } catch (error) {
      // Another process may have replaced the refresh token in the meantime.
      if (!isGrantRefused(error)) throw error
      await this.#readStored()
      if (this.#currentRefreshToken() === used) throw error
      return await ask()
    }
  }

  #currentRefreshToken(): string | undefined {
    if (this.#grant.type !== 'refresh_token') return undefined
    return (this.#refreshToken ?? this.#grant.refreshToken).reveal()
  }

  async #readStored(): Promise<void> {
    const { refreshTokens } = this.#parts
    if (refreshTokens === undefined || this.#grant.type !== 'refresh_token') return
    const stored = await refreshTokens.find(grantKeyOf(this.#grant)).catch((cause: unknown) => {
      throw tokenNotRead(cause)
    })
    if (stored !== undefined) this.#refreshToken = new Secret(stored)
  }

  /** Stores a replaced refresh token, unless that is done. */
  async #store(): Promise<void> {
    const { refreshTokens } = this.#parts
    if (this.#isStored || this.#refreshToken === undefined || this.#grant.type !== 'refresh_token')
      return
    try {
      await refreshTokens?.save(grantKeyOf(this.#grant), this.#refreshToken.reveal())
      this.#isStored = true
    } catch (cause) {
      throw tokenNotStored(cause)
    }
  }
}

function isGrantRefused(error: unknown): boolean {
  return error instanceof FaultError && error.fault.code === 'credentials_refused'
}

/** Two transports with the same refresh token share its successor. */
function grantKeyOf({
  tokenUrl,
  clientId,
  refreshToken,
}: Extract<TokenGrant, { type: 'refresh_token' }>): string {
  const hash = createHash('sha256')
  return hash.update([tokenUrl, clientId, refreshToken.reveal()].join('\0')).digest('hex')
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(cancelledToken())
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
