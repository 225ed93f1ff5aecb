import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../kit/caller.ts'
import { fold } from '../../kit/fold.ts'
import type { Accounts } from '../accounts.ts'
import { hashToken } from '../secret-token.ts'
import type { LoginAttempt } from './password-check.ts'

/** Somebody who has logged in for as long as a connection lasts. */
export interface Login {
  /** As he is now; undefined once he may no longer log in, or not with that password. */
  findCaller(): Promise<Caller | undefined>
}

/** How doors other than HTTP let callers in. */
export interface Logins {
  /**
   * A user by name or address and password, or an OAuth client by its id and secret. Throws an AppError
   * (`unauthenticated`, `rate_limited`).
   */
  logIn(attempt: LoginAttempt): Promise<Login>
  /** A user whom the operator vouches for. */
  vouchFor(username: string): Login
}

/** What log-ins are made of. */
export interface LoginParts {
  accounts: Accounts
  /** Checks users' passwords, and remembers for a while those that are right. */
  authenticator: { logIn(attempt: LoginAttempt): Promise<Login> }
}

const clientIdForm = /^[0-9a-f]{32}$/

export function createLogins({ accounts, authenticator }: LoginParts): Logins {
  const findClient = async (clientId: string, secretHash: string) => {
    const client = await accounts.findClient(clientId)
    if (client === undefined || !isSame(client.secretHash, secretHash)) return undefined
    return client.caller
  }
  return {
    async logIn(attempt) {
      const { login, password } = attempt
      if (!clientIdForm.test(login)) return authenticator.logIn(attempt)
      // A secret is 256 random bits: there is nothing to guess, and its hash is cheap.
      const secretHash = hashToken(password)
      const findCaller = () => findClient(login, secretHash)
      if ((await findCaller()) !== undefined) return { findCaller }
      return authenticator.logIn(attempt)
    },
    vouchFor(username) {
      const key = fold(username.trim())
      return { findCaller: () => accounts.findCaller(key) }
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
