import { AppError } from '../../kit/app-error.ts'
import { fold } from '../../kit/fold.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { Account, Accounts } from '../accounts.ts'
import { hashPassword, parseStoredHash, verifyPassword } from '../passwords.ts'
import { createLoginLimits } from './login-limits.ts'

/** Checks user names with passwords: slowly on purpose, few at once, and slower for who fails. */
export interface PasswordCheck {
  /**
   * The account, or undefined where name or password is wrong; which of the two, not even the time
   * taken tells. Throws an AppError (`rate_limited`) after many failures.
   */
  check(attempt: LoginAttempt): Promise<Account | undefined>
}

export interface LoginAttempt {
  /** User name or email address. */
  login: string
  password: string
  /** Of the caller. */
  address: string
}

/** Each check takes memory and a thread for tens of milliseconds. */
const checksAtOnceMax = 2
const waitingMax = 200

/** What passwords are checked with. */
export interface PasswordCheckParts {
  storage: Storage
  accounts: Accounts
  log: Log
}

export function createPasswordCheck({ storage, accounts, log }: PasswordCheckParts): PasswordCheck {
  const limits = createLoginLimits(storage)
  const inTurn = createTurns()
  let decoy: Promise<string> | undefined
  const isRight = async (password: string, account: Account | undefined) => {
    const stored = account?.user.password_hash ?? ''
    const parsed = parseStoredHash(stored)
    if (parsed !== undefined) return verifyPassword(password, parsed)
    if (stored !== '') {
      log.error({ userId: account?.user.id }, 'password hash refused: not as Mailyard makes it')
    }
    // As slow as for an account that is there.
    decoy ??= hashPassword('nobody')
    const hashed = parseStoredHash(await decoy)
    if (hashed !== undefined) await verifyPassword(password, hashed)
    return false
  }
  return {
    async check({ login, password, address }) {
      const key = fold(login.trim())
      if (key.includes('\0') || !key.isWellFormed()) return undefined
      const found = await accounts.findByLogin(key)
      const attempt = { address, account: found === undefined ? key : `user ${found.user.id}` }
      await limits.check(attempt)
      // Asked again when the turn comes: of many guesses at once, the first failures stop the others.
      return inTurn(async () => {
        await limits.admit(attempt)
        const account = await accounts.findByLogin(key)
        const isVerified = await isRight(password, account)
        await (isVerified ? limits.succeed(attempt) : limits.fail(attempt))
        return isVerified ? account : undefined
      })
    },
  }
}

function createTurns() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= waitingMax) throw tooManyLogins()
    if (running >= checksAtOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}

function tooManyLogins(): AppError {
  const message = 'Too many log-ins are waiting to be checked; try again in a few seconds.'
  return new AppError('rate_limited', 'too_many_logins', message, { retryAfterSeconds: 5 })
}
