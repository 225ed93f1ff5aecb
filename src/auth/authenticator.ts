import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { fold } from '../kit/fold.ts'
import type { Storage } from '../storage/index.ts'
import { type Account, type Accounts, userCaller } from './accounts.ts'
import { basicDisabled, unauthenticated } from './errors.ts'
import type { Login } from './login/login.ts'
import type { LoginAttempt, PasswordCheck } from './login/password-check.ts'
import { hashToken } from './secret-token.ts'

/** How long a verified password need not be hashed again, while nothing about its user changes. */
const verifiedLifetimeMs = 300_000
const rememberedMax = 10_000

/** The key of the header that a connection sent last: most send one and the same, and to hash is not for nothing. */
const lastHeader = Symbol('last header')

/** Where requests come from, one after the other. */
export interface Connection {
  [lastHeader]?: { header: string; key: string }
}

/** What was found out about one Authorization header. */
interface Known {
  caller: Caller
  /** The state of the database that it was found in; see `Storage.changeStamp`. */
  stamp: number | undefined
  expiresAt: number
}

/** A password that was verified against this very hash. */
interface Verified {
  userId: number
  login: string
  passwordHash: string
  expiresAt: number
}

/** What authentication is made of. */
export interface AuthenticatorParts {
  storage: Storage
  accounts: Accounts
  passwords: PasswordCheck
  clock: Clock
  isBasicEnabled: boolean
}

/**
 * Finds out who asks. Passwords are hashed slowly on purpose, so a verified header is remembered for a
 * while, under a key that only this process has. The memory is of the password alone: who the user is
 * and what he may do is read anew whenever anything in the database may have changed, by any process.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #memoryKey = randomBytes(32).toString('base64')
  readonly #known = new Map<string, Known>()
  readonly #verified = new Map<string, Verified>()
  readonly #checking = new Map<string, Promise<Caller>>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /** Throws an AppError (`unauthenticated`, `forbidden`, `rate_limited`); answers at once where it can. */
  authenticate(
    header: string | undefined,
    { address, connection }: { address: string; connection: Connection },
  ): Caller | Promise<Caller> {
    if (header === undefined || header === '') {
      throw unauthenticated('Log in: send HTTP Basic credentials or an OAuth 2.0 bearer token.')
    }
    const key = this.#keyOf(header, connection)
    const stamp = this.#parts.storage.changeStamp()
    const known = this.#known.get(key)
    const isFresh = known !== undefined && stamp !== undefined && known.stamp === stamp
    if (isFresh && known.expiresAt > this.#parts.clock.now()) return known.caller
    return this.#find(header, { key, stamp, address })
  }

  #keyOf(header: string, connection: Connection): string {
    const last = connection[lastHeader]
    if (last?.header === header) return last.key
    const key = hash('sha256', this.#memoryKey + header, 'base64')
    connection[lastHeader] = { header, key }
    return key
  }

  /**
   * Who logs in by name or address and password at a door that keeps its connections open. Throws an
   * AppError (`unauthenticated`, `rate_limited`).
   */
  async logIn({ login, password, address }: LoginAttempt): Promise<Login> {
    if (login.includes(':')) throw wrongPassword()
    const credentials = Buffer.from(`${login}:${password}`).toString('base64')
    const key = hash('sha256', `${this.#memoryKey}Basic ${credentials}`, 'base64')
    await this.#findByPassword(credentials, { key, address })
    const verified = this.#verified.get(key)
    return { findCaller: () => this.#findStill(verified) }
  }

  async #findStill(verified: Verified | undefined): Promise<Caller | undefined> {
    if (verified === undefined) return undefined
    const account = await this.#parts.accounts.findById(verified.userId)
    return account !== undefined && isStill(account, verified) ? userCaller(account) : undefined
  }

  async #find(
    header: string,
    request: { key: string; stamp: number | undefined; address: string },
  ) {
    const { key, stamp, address } = request
    const [scheme = '', credentials = ''] = splitOnce(header, ' ')
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return this.#findByToken(credentials.trim(), { key, stamp })
      case 'basic': {
        if (!this.#parts.isBasicEnabled) throw basicDisabled()
        const caller = await this.#findByPassword(credentials, { key, address })
        this.#remember(this.#known, key, { caller, stamp, expiresAt: this.#verifiedUntil(key) })
        return caller
      }
      default:
        throw unauthenticated(
          `The authentication scheme ${scheme.slice(0, 20)} is not known; use Basic or Bearer.`,
        )
    }
  }

  async #findByToken(token: string, { key, stamp }: { key: string; stamp: number | undefined }) {
    const found = await this.#parts.accounts.findByToken(hashToken(token), this.#parts.clock.now())
    if (found === undefined) {
      throw unauthenticated('The access token is unknown, expired or revoked; get another one.')
    }
    this.#remember(this.#known, key, { ...found, stamp })
    return found.caller
  }

  async #findByPassword(credentials: string, { key, address }: { key: string; address: string }) {
    const verified = this.#verified.get(key)
    if (verified !== undefined && verified.expiresAt > this.#parts.clock.now()) {
      const account = await this.#parts.accounts.findById(verified.userId)
      if (account !== undefined && isStill(account, verified)) return userCaller(account)
      this.#verified.delete(key)
    }
    // Many requests at once with the same new credentials are one check.
    const running = this.#checking.get(key)
    if (running !== undefined) return running
    const check = this.#checkPassword(credentials, { key, address })
    this.#checking.set(key, check)
    try {
      return await check
    } finally {
      this.#checking.delete(key)
    }
  }

  async #checkPassword(credentials: string, { key, address }: { key: string; address: string }) {
    const [login, password] = splitOnce(Buffer.from(credentials, 'base64').toString('utf8'), ':')
    if (password === undefined) throw unauthenticated('The Basic credentials are malformed.')
    const account = await this.#parts.passwords.check({ login, password, address })
    if (account === undefined) throw wrongPassword()
    const { id: userId, password_hash: passwordHash } = account.user
    const expiresAt = this.#parts.clock.now() + verifiedLifetimeMs
    this.#remember(this.#verified, key, {
      userId,
      login: fold(login.trim()),
      passwordHash,
      expiresAt,
    })
    return userCaller(account)
  }

  #verifiedUntil(key: string): number {
    return this.#verified.get(key)?.expiresAt ?? 0
  }

  #remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
    if (memory.size >= rememberedMax) memory.clear()
    memory.set(key, value)
  }
}

function wrongPassword(): Error {
  return unauthenticated('User name or password is not right.')
}

function isStill({ user }: Account, { login, passwordHash }: Verified): boolean {
  const isSameName = user.username_key === login || user.email_key === login
  return isSameName && user.password_hash === passwordHash
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}
