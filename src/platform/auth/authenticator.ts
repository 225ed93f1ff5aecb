import { hash, randomBytes } from 'node:crypto'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { type MaybePromise, mapMaybe } from '../../kit/maybe-promise.ts'
import { normalizeForSearch } from '../../kit/normalize-for-search.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import type { ChangeStamp, Storage } from '../storage/index.ts'
import { type Account, type Accounts, userCaller } from './accounts.ts'
import { hashToken } from './credentials.ts'
import { basicDisabled, unauthenticated } from './errors.ts'
import { findBrokenRule, type LoginRules } from './login/login-rules.ts'
import type { Login, LoginAttempt, PasswordCheck } from './login/logins.ts'

/** How long a verified password is not hashed again, while its user is unchanged. */
const verifiedLifetimeMs = 300_000
const rememberedMax = 10_000

/** The last header of a connection and its key. Most connections always send the same header, so it is hashed once. */
const lastHeader = Symbol('last header')

/** The connection of a request. */
export interface Connection {
  [lastHeader]?: { header: string; key: string }
}

/** The result for one Authorization header. */
interface Known {
  caller: Caller
  /** The version of the database that it was read from; see `Storage.changeStamp`. */
  stamp: ChangeStamp | undefined
  /** When it was cached: a clock that was set back does not prolong it. */
  since: number
  expiresAt: number
  /** Checked at each request, which may come from another address. */
  rules: readonly LoginRules[]
}

/** A password that was verified against this hash. */
interface Verified {
  userId: number
  login: string
  passwordHash: string
  since: number
  expiresAt: number
}

export interface AuthenticatorParts {
  storage: Storage
  accounts: Accounts
  passwords: PasswordCheck
  clock: Clock
  isBasicEnabled: boolean
}

/**
 * Authenticates requests. Hashing a password is slow on purpose, so a verified header is cached for five minutes, under a
 * key that only this process has. Only the password is cached: user and permissions are read again whenever any
 * process may have changed the database.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #memoryKey = randomBytes(32).toString('base64')
  readonly #known = new BoundedMemory<string, Known>({ sizeMax: rememberedMax })
  readonly #verified = new BoundedMemory<string, Verified>({ sizeMax: rememberedMax })
  readonly #checking = new SingleFlight<string, Account>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /** Returns the caller; a promise only when the database has to be read. Throws an AppError (`unauthenticated`, `forbidden`, `rate_limited`). */
  authenticate(
    header: string | undefined,
    { address, connection }: { address: string; connection: Connection },
  ): MaybePromise<Caller> {
    if (header === undefined || header === '') {
      throw unauthenticated(
        'Authentication required. Send HTTP Basic credentials or an OAuth 2.0 bearer token.',
      )
    }
    const key = this.#keyOf(header, connection)
    return mapMaybe(this.#parts.storage.changeStamp(), (stamp) => {
      const known = this.#known.get(key)
      const isFresh = known !== undefined && stamp !== undefined && known.stamp === stamp
      const now = this.#parts.clock.now()
      const isBroken = (rules: LoginRules) => findBrokenRule(rules, { address, now }) !== undefined
      if (isFresh && isCurrent(known, now) && !known.rules.some(isBroken)) return known.caller
      return this.#find(header, { key, stamp, address })
    })
  }

  #keyOf(header: string, connection: Connection): string {
    const last = connection[lastHeader]
    if (last?.header === header) return last.key
    const key = hash('sha256', this.#memoryKey + header, 'base64')
    connection[lastHeader] = { header, key }
    return key
  }

  /**
   * Logs in a user by name or address and password, for a connection that stays open. Throws an AppError
   * (`unauthenticated`, `rate_limited`).
   */
  async logIn({ login, password, address }: LoginAttempt): Promise<Login> {
    if (login.includes(':')) throw wrongPassword()
    const credentials = Buffer.from(`${login}:${password}`).toString('base64')
    const key = hash('sha256', `${this.#memoryKey}Basic ${credentials}`, 'base64')
    await this.#findByPassword(credentials, { key, address })
    const verified = this.#verified.get(key)
    return { findCaller: () => this.#findStill(verified, address) }
  }

  async #findStill(verified: Verified | undefined, address: string): Promise<Caller | undefined> {
    if (verified === undefined) return undefined
    const account = await this.#parts.accounts.findById(verified.userId, address)
    return account !== undefined && isStill(account, verified) ? userCaller(account) : undefined
  }

  async #find(
    header: string,
    request: { key: string; stamp: ChangeStamp | undefined; address: string },
  ) {
    const { key, stamp, address } = request
    const [scheme = '', credentials = ''] = splitOnce(header, ' ')
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return this.#findByToken(credentials.trim(), request)
      case 'basic': {
        if (!this.#parts.isBasicEnabled) throw basicDisabled()
        const account = await this.#findByPassword(credentials, { key, address })
        const caller = userCaller(account)
        const { since = 0, expiresAt = 0 } = this.#verified.get(key) ?? {}
        this.#known.set(key, { caller, stamp, since, expiresAt, rules: [account.user] })
        return caller
      }
      default:
        throw unauthenticated(
          `Authentication scheme ${scheme.slice(0, 20)} is not supported; use Basic or Bearer.`,
        )
    }
  }

  async #findByToken(
    token: string,
    { key, stamp, address }: { key: string; stamp: ChangeStamp | undefined; address: string },
  ) {
    const since = this.#parts.clock.now()
    const owner = await this.#parts.accounts.findByToken(hashToken(token), { now: since, address })
    if (owner === undefined) {
      throw unauthenticated('The access token is unknown, expired or revoked. Request a new one.')
    }
    this.#known.set(key, { ...owner, stamp, since })
    return owner.caller
  }

  async #findByPassword(credentials: string, { key, address }: { key: string; address: string }) {
    const verified = this.#verified.get(key)
    if (verified !== undefined && isCurrent(verified, this.#parts.clock.now())) {
      const { accounts } = this.#parts
      const account = await accounts.findById(verified.userId, undefined)
      // The right password from another network must not cost others the check of it.
      if (account === undefined || !isStill(account, verified)) this.#verified.delete(key)
      else if (accounts.mayLogIn(account, address)) return account
    }
    // Concurrent requests with the same new credentials from one address share one check.
    return this.#checking.run(`${key} ${address}`, () =>
      this.#checkPassword(credentials, { key, address }),
    )
  }

  async #checkPassword(credentials: string, { key, address }: { key: string; address: string }) {
    const [login, password] = splitOnce(Buffer.from(credentials, 'base64').toString('utf8'), ':')
    if (password === undefined) throw unauthenticated('The Basic credentials are malformed.')
    const account = await this.#parts.passwords.check({ login, password, address })
    if (account === undefined) throw wrongPassword()
    const { id: userId, password_hash: passwordHash } = account.user
    const since = this.#parts.clock.now()
    this.#verified.set(key, {
      userId,
      login: normalizeForSearch(login.trim()),
      passwordHash,
      since,
      expiresAt: since + verifiedLifetimeMs,
    })
    return account
  }
}

function isCurrent({ since, expiresAt }: Pick<Known, 'since' | 'expiresAt'>, now: number) {
  return since <= now && now < expiresAt
}

function wrongPassword(): Error {
  return unauthenticated('User name or password is wrong.')
}

function isStill({ user }: Account, { login, passwordHash }: Verified): boolean {
  const isSameName = user.username_key === login || user.email_key === login
  return isSameName && user.password_hash === passwordHash
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}
