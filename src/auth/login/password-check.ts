import { AppError } from '../../kit/app-error.ts'
import { fold } from '../../kit/fold.ts'
import type { Account, Accounts } from '../accounts.ts'
import { hashPassword, verifyPassword } from '../passwords.ts'
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

export function createPasswordCheck(accounts: Accounts): PasswordCheck {
  const limits = createLoginLimits()
  const inTurn = createTurns()
  let decoy: Promise<string> | undefined
  return {
    async check({ login, password, address }) {
      const key = fold(login.trim())
      if (key.includes('\0') || !key.isWellFormed()) return undefined
      await limits.check(address, key)
      // Asked again when the turn comes: of many guesses at once, the first failures stop the others.
      return inTurn(async () => {
        await limits.check(address, key)
        const account = await accounts.findByLogin(key)
        decoy ??= hashPassword('nobody')
        const stored = account?.user.password_hash || (await decoy)
        const isRight = await verifyPassword(password, stored)
        if (isRight && account !== undefined && account.user.password_hash !== '') {
          await limits.succeed(address, key)
          return account
        }
        await limits.fail(address, key)
        return undefined
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
