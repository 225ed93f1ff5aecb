import type { Kysely, Transaction } from 'kysely'
import { type Clock, isInFuture } from '../../../kit/clock.ts'
import type { Storage } from '../../storage/index.ts'
import { createToken, hashToken } from '../credentials.ts'
import type { AuthTables, UserTokenRow } from '../table.ts'

const lifetimeMs = 24 * 3_600_000

/** Links with which a user chooses a password without the old one. Each works once, and until the password changes. */
export class PasswordLinks {
  readonly #db: Kysely<AuthTables>
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#db = storage.tables()
    this.#clock = clock
  }

  /** Returns the user of a link, or undefined when it was used, has expired, or never existed. */
  async find(token: string): Promise<number | undefined> {
    const query = this.#db.selectFrom('password_links').selectAll()
    const row = await query.where('hash', '=', hashToken(token)).executeTakeFirst()
    return validUser(row, this.#clock.now())
  }

  /** Like `find`, and uses the link up: of two requests at once, one gets the user. */
  async take(token: string): Promise<number | undefined> {
    const query = this.#db.deleteFrom('password_links').where('hash', '=', hashToken(token))
    return validUser(await query.returningAll().executeTakeFirst(), this.#clock.now())
  }
}

function validUser(row: UserTokenRow | undefined, now: number): number | undefined {
  const isValid = row && row.expires_at > now && !isInFuture(row.expires_at - lifetimeMs, now)
  return isValid ? row.user_id : undefined
}

/** Creates a link for a user, in a transaction. Returns its token, of which only the hash is stored. */
export async function createPasswordLink(
  tx: Transaction<AuthTables>,
  { userId, clock }: { userId: number; clock: Clock },
): Promise<string> {
  const token = createToken()
  const row = { hash: hashToken(token), user_id: userId, expires_at: clock.now() + lifetimeMs }
  await tx.insertInto('password_links').values(row).execute()
  return token
}
