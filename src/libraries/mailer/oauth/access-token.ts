import { createHash } from 'node:crypto'
import type { Clock } from '../../../kit/clock.ts'
import { sleep } from '../../../kit/timers.ts'
import type { HttpClient } from '../connect/http-client.ts'
import { cancelledFault, FaultError } from '../delivery/fault-error.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { Secret } from '../secret.ts'
import type { RefreshTokenStore } from './refresh-token-store.ts'
import { type IssuedToken, requestToken } from './request-token.ts'
import { requestFailed, tokenNotRead, tokenNotStored } from './token-fault.ts'
import type { TokenGrant } from './token-grant.ts'

interface AccessTokenParts {
  readonly http: Pick<HttpClient, 'send'>
  readonly clock: Clock
  readonly refreshTokens: RefreshTokenStore
}

/** A token is not used in its last minutes, because log-ins take time and clocks differ. */
const marginMs = 5 * 60_000
/** Where the token endpoint does not say when a token ends. A token that is refused sooner is replaced. */
const lifetimeMsDefault = 10 * 60_000
/** How long a log-in proves that a token works. */
const provenMs = 60_000
/** Replies may still show a token that was replaced. */
const redactedMax = 4
/** When the stored refresh token is read again after a refusal: another process may be replacing it. */
const rereadAfterMs = [0, 500, 1_500]

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
  /** The mailboxes that were opened with the token. */
  readonly #opened = new Set<string>()
  #openedAt = 0
  /** The last refresh token; undefined for that of the grant. */
  #refreshToken: Secret | undefined
  #isStored = true
  readonly #secrets: string[] = []
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
    if (signal?.aborted) return Promise.reject(cancelled())
    if (this.#token !== undefined && this.#isStored && this.#now() < this.#usableUntil)
      return Promise.resolve(this.#token)
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return signal === undefined ? this.#pending : unlessAborted(this.#pending, signal)
  }

  /** Notes that a mailbox was opened with a token. */
  noteOpened(token: Secret, mailbox: string): void {
    if (this.#token !== token) return
    this.#opened.add(mailbox)
    this.#openedAt = this.#now()
  }

  /**
   * Drops a token that a server refused, so that the next call fetches another. A token that has just opened other mailboxes
   * is kept: then this mailbox is refused, and not the token.
   * @returns Whether another log-in makes sense.
   */
  forget(token: Secret, mailbox: string): boolean {
    if (this.#token !== token) return true
    const isProven = this.#opened.size > 0 && this.#now() - this.#openedAt < provenMs
    if (isProven && !this.#opened.has(mailbox)) return false
    this.#token = undefined
    return true
  }

  /** Resolves when no request is under way. */
  async settle(): Promise<void> {
    await this.#pending?.catch(() => undefined)
  }

  /** Masks the last tokens in a text. */
  readonly redact: Redactor = (text) => this.#redact(text)

  #now(): number {
    return this.#parts.clock.monotonic()
  }

  async #fetch(): Promise<Secret> {
    try {
      await this.#store()
      if (this.#token !== undefined && this.#now() < this.#usableUntil) return this.#token
      return this.#grant.type === 'refresh_token'
        ? await oneAtATime(grantKeyOf(this.#grant), () => this.#replace())
        : await this.#replace()
    } catch (error) {
      throw error instanceof FaultError ? error : requestFailed(error)
    }
  }

  async #replace(): Promise<Secret> {
    const requestedAt = this.#now()
    const { accessToken, lifetimeMs = lifetimeMsDefault, refreshToken } = await this.#request()
    this.#token = accessToken
    this.#opened.clear()
    this.#usableUntil = requestedAt + lifetimeMs - Math.min(marginMs, lifetimeMs / 2)
    if (refreshToken !== undefined && refreshToken.reveal() !== this.#currentRefreshToken()) {
      this.#refreshToken = refreshToken
      this.#isStored = false
    }
    try {
      await this.#store()
    } finally {
      this.#remember([accessToken, refreshToken])
    }
    return accessToken
  }

  #remember(secrets: readonly (Secret | undefined)[]): void {
    this.#secrets.push(...secrets.flatMap((secret) => secret?.reveal() ?? []))
    this.#secrets.splice(0, this.#secrets.length - redactedMax)
    this.#redact = createRedactor(this.#secrets)
  }

  async #request(): Promise<IssuedToken> {
    const { http, clock } = this.#parts
    const request = () =>
      requestToken(this.#grant, {
        http,
        now: clock.now(),
        mailbox: this.#mailbox,
        refreshToken: this.#refreshToken,
      })
    await this.#readStored()
    const used = this.#currentRefreshToken()
    try {
      return await request()
    } catch (error) {
      if (!isGrantRefused(error) || used === undefined) throw error
      if (!(await this.#isReplacedElsewhere(used))) throw error
      return await request()
    }
  }

  /** Whether another process replaces the refresh token at this time. */
  async #isReplacedElsewhere(used: string): Promise<boolean> {
    for (const waitMs of rereadAfterMs) {
      await sleep(waitMs)
      await this.#readStored()
      if (this.#currentRefreshToken() !== used) return true
    }
    return false
  }

  #currentRefreshToken(): string | undefined {
    if (this.#grant.type !== 'refresh_token') return undefined
    return (this.#refreshToken ?? this.#grant.refreshToken).reveal()
  }

  async #readStored(): Promise<void> {
    if (this.#grant.type !== 'refresh_token') return
    const { refreshTokens } = this.#parts
    const stored = await refreshTokens.find(grantKeyOf(this.#grant)).catch((cause: unknown) => {
      throw tokenNotRead(cause)
    })
    if (stored !== undefined) this.#refreshToken = new Secret(stored)
  }

  /** Stores a replaced refresh token, unless that is done. */
  async #store(): Promise<void> {
    if (this.#isStored || this.#refreshToken === undefined || this.#grant.type !== 'refresh_token')
      return
    try {
      await this.#parts.refreshTokens.save(grantKeyOf(this.#grant), this.#refreshToken.reveal())
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
function grantKeyOf(grant: Extract<TokenGrant, { type: 'refresh_token' }>): string {
  const { tokenUrl, clientId, refreshToken } = grant
  const hash = createHash('sha256')
  return hash.update([tokenUrl, clientId, refreshToken.reveal()].join('\0')).digest('hex')
}

/** The grants that are being refreshed in this process: a refresh token may be valid for one request only. */
const refreshes = new Map<string, Promise<unknown>>()

async function oneAtATime<Value>(grantKey: string, refresh: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const running = refreshes.get(grantKey)
    if (running === undefined) break
    await running.catch(() => undefined)
  }
  const refreshing = refresh()
  refreshes.set(grantKey, refreshing)
  try {
    return await refreshing
  } finally {
    refreshes.delete(grantKey)
  }
}

const cancelled = () => cancelledFault('token', 'while it waited for an access token')

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(cancelled())
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
