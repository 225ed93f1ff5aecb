import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import type { Log } from '../../../kit/log.ts'
import { normalizeForSearch } from '../../../kit/normalize-for-search.ts'
import { Semaphore } from '../../../kit/semaphore.ts'
import { type Account, type Accounts, type SecretLogin, userCaller } from '../accounts.ts'
import {
  hashPassword,
  hashToken,
  isSameSecret,
  type PasswordCost,
  parseStoredHash,
  verifyPassword,
} from '../credentials.ts'
import type { LoginLimits } from './login-limits.ts'

/** A log-in that lasts as long as a connection. */
export interface Login {
  /** Returns the caller with current permissions; undefined when they may no longer log in, or have a new password. */
  findCaller(): Promise<Caller | undefined>
}

export interface LoginParts {
  accounts: Accounts
  /** Checks passwords and caches verified ones. */
  authenticator: { logIn(attempt: LoginAttempt): Promise<Login> }
  /** Finds log-ins that are neither of a user nor of a client. */
  findLogin: (login: string) => Promise<SecretLogin | undefined>
}

const secretLoginForm = /^[0-9a-f]{32}$/

/** Logs in callers of protocols other than HTTP. */
export class Logins {
  readonly #parts: LoginParts

  constructor(parts: LoginParts) {
    this.#parts = parts
  }

  /**
   * Logs in a user by name or address and password, or an OAuth client or another program by its id and secret. Throws an
   * AppError (`unauthenticated`, `rate_limited`).
   */
  async logIn(attempt: LoginAttempt): Promise<Login> {
    const { login, password, address } = attempt
    if (secretLoginForm.test(login)) {
      // A secret has 256 random bits: it cannot be guessed, so its hash is fast and not throttled.
      const secretHash = hashToken(password)
      const findCaller = () => this.#findProgram(login, { secretHash, address })
      if ((await findCaller()) !== undefined) return { findCaller }
    }
    return this.#parts.authenticator.logIn(attempt)
  }

  /** Returns the log-in of a user of a trusted network. */
  trust(username: string): Login {
    const { accounts } = this.#parts
    const key = normalizeForSearch(username.trim())
    return {
      findCaller: async () => {
        const account = await accounts.findByLogin(key)
        const mayLogIn = account !== undefined && accounts.mayLogIn(account, undefined)
        return mayLogIn ? userCaller(account) : undefined
      },
    }
  }

  async #findProgram(
    login: string,
    { secretHash, address }: { secretHash: string; address: string },
  ): Promise<Caller | undefined> {
    const { accounts, findLogin } = this.#parts
    const program = (await accounts.findClient(login)) ?? (await findLogin(login))
    if (program === undefined || !isSameSecret(program.secretHash, secretHash)) return undefined
    const { caller } = program
    return accounts.rules.mayLogIn(caller.name, program.rules, address) ? caller : undefined
  }
}

export interface LoginAttempt {
  /** User name or email address. */
  login: string
  password: string
  address: string
}

/** By default, each check takes 19 MiB and a thread for tens of milliseconds. */
const checksAtOnceMax = 2
const waitingMax = 200

export interface PasswordCheckParts {
  limits: LoginLimits
  accounts: Accounts
  log: Log
  passwordCost: PasswordCost | undefined
}

/** Checks passwords: slow on purpose, few at a time, and throttled after failures. */
export class PasswordCheck {
  readonly #parts: PasswordCheckParts
  readonly #checking = new Semaphore({
    permits: checksAtOnceMax,
    waitingMax,
    refusal: tooManyLogins,
  })
  #decoy: Promise<string> | undefined

  constructor(parts: PasswordCheckParts) {
    this.#parts = parts
  }

  /**
   * Returns the account, or undefined when name or password is wrong or the rules of the account forbid the log-in. The time
   * taken is the same for all. Throws an AppError (`rate_limited`) after many failures.
   */
  async check({ login, password, address }: LoginAttempt): Promise<Account | undefined> {
    const { limits, accounts } = this.#parts
    const key = normalizeForSearch(login.trim())
    if (key.includes('\0') || !key.isWellFormed()) return undefined
    const owner = await accounts.findByLogin(key)
    const attempt = { address, account: owner === undefined ? key : `user ${owner.user.id}` }
    await limits.check(attempt)
    // Checked again before hashing: of many concurrent guesses, the first failures reject the rest.
    return this.#checking.run(async () => {
      await limits.accept(attempt)
      const account = await accounts.findByLogin(key)
      const isVerified =
        (await this.#isRight(password, account)) &&
        account !== undefined &&
        accounts.mayLogIn(account, address)
      await (isVerified ? limits.succeed(attempt) : limits.fail(attempt))
      return isVerified ? account : undefined
    })
  }

  async #isRight(password: string, account: Account | undefined): Promise<boolean> {
    const { log, passwordCost } = this.#parts
    const stored = account?.user.password_hash ?? ''
    const parsed = parseStoredHash(stored)
    if (parsed !== undefined) return verifyPassword(password, parsed)
    if (stored !== '') log.error({ userId: account?.user.id }, 'password hash rejected')
    // Takes as long as for an existing account.
    this.#decoy ??= hashPassword('decoy', passwordCost)
    const hashed = parseStoredHash(await this.#decoy)
    if (hashed !== undefined) await verifyPassword(password, hashed)
    return false
  }
}

function tooManyLogins(): AppError {
  const message = 'Too many log-ins are waiting. Try again in 5 seconds.'
  return new AppError('rate_limited', 'too_many_logins', message, { retryAfterSeconds: 5 })
}
