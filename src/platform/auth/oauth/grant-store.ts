import type { Kysely, Transaction } from 'kysely'
import { type Clock, isInFuture } from '../../../kit/clock.ts'
import type { Storage } from '../../storage/index.ts'
import { hashToken, isSameSecret } from '../credentials.ts'
import type { AuthTables, ClientRow, CodeRow, TokenRow } from '../table.ts'

/** How long expired tokens and codes are kept, to detect a second use. */
const keepExpiredMs = 86_400_000

/** A code or refresh token, and its client. */
export interface Grant<Row> {
  row: Row
  client: ClientRow
}

/** What new tokens are exchanged for; empty for client_credentials. */
export interface Exchanged {
  code?: string
  refreshToken?: string
}

/** A token to be saved. */
export type NewToken = Omit<TokenRow, 'created_at'>

/** Stores authorization codes and tokens: their hashes, and the family, which is the log-in that they come from. */
export class GrantStore {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #db: Kysely<AuthTables>

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
    this.#db = storage.tables<AuthTables>()
  }

  /** Returns undefined for an unknown client or a wrong secret. An undefined secret is not checked. */
  async findClient(clientId: string, secret: string | undefined): Promise<ClientRow | undefined> {
    const query = this.#db.selectFrom('oauth_clients').selectAll().where('client_id', '=', clientId)
    const client = await query.where('is_published', '=', true).executeTakeFirst()
    if (client === undefined || secret === undefined) return client
    return isSameSecret(client.secret_hash, hashToken(secret)) ? client : undefined
  }

  /** Saves a code, unless its user was unpublished or deleted meanwhile: then it stays unknown. */
  async saveCode(code: Omit<CodeRow, 'created_at'>): Promise<void> {
    const row = { ...code, created_at: this.#clock.now() }
    await this.#storage.transaction(async (tx: Transaction<AuthTables>) => {
      if (!(await lockPublished(tx, 'users', code.user_id))) return
      await tx.insertInto('oauth_codes').values(row).execute()
    })
  }

  /** Returns undefined for an unknown or expired code. A second use revokes all tokens of its family. */
  async findCode(code: string): Promise<Grant<CodeRow> | undefined> {
    const query = this.#db.selectFrom('oauth_codes').selectAll().where('hash', '=', hashToken(code))
    return this.#toGrant(await query.executeTakeFirst())
  }

  /** Marks a code as used. Returns whether this was its first use. */
  async useCode(code: string): Promise<boolean> {
    return markUsed(this.#db, 'oauth_codes', { token: code, now: this.#clock.now() })
  }

  /** Returns undefined for an unknown or expired token. A second use revokes its family. */
  async findRefreshToken(token: string): Promise<Grant<TokenRow> | undefined> {
    const query = this.#db
      .selectFrom('oauth_tokens')
      .selectAll()
      .where('hash', '=', hashToken(token))
    return this.#toGrant(await query.where('kind', '=', 'refresh').executeTakeFirst())
  }

  /**
   * Saves new tokens of one family, in exchange for a code or a refresh token. Returns false and revokes the family when
   * that was exchanged already, or its user or client was deleted or unpublished.
   */
  async saveTokens(tokens: readonly [NewToken, ...NewToken[]], from: Exchanged): Promise<boolean> {
    const [{ family, client_id: clientId, user_id: userId }] = tokens
    const isSaved = await this.#storage.transaction(async (tx: Transaction<AuthTables>) => {
      const now = this.#clock.now()
      await this.#storage.lock(tx, familyLock(family))
      await deleteExpired(tx, now - keepExpiredMs)
      if (!(await lockPublished(tx, 'oauth_clients', clientId))) return false
      if (userId !== null && !(await lockPublished(tx, 'users', userId))) return false
      if (from.code !== undefined && !(await hasCode(tx, from.code))) return false
      const token = from.refreshToken
      if (token !== undefined && !(await markUsed(tx, 'oauth_tokens', { token, now }))) return false
      await tx
        .insertInto('oauth_tokens')
        .values(tokens.map((token) => ({ ...token, created_at: now })))
        .execute()
      return true
    })
    if (!isSaved) await this.#revokeFamily(family)
    return isSaved
  }

  async #toGrant<Row extends CodeRow | TokenRow>(
    row: Row | undefined,
  ): Promise<Grant<Row> | undefined> {
    if (row === undefined) return undefined
    const now = this.#clock.now()
    const hasExpired = row.expires_at <= now || isInFuture(row.created_at, now)
    // What has expired is revoked too, so that it stays over when the clock is set back.
    if (row.used_at !== null || hasExpired) {
      await this.#revokeFamily(row.family)
      return undefined
    }
    const query = this.#db.selectFrom('oauth_clients').selectAll().where('id', '=', row.client_id)
    const client = await query.where('is_published', '=', true).executeTakeFirst()
    return client === undefined ? undefined : { row, client }
  }

  async #revokeFamily(family: string): Promise<void> {
    await this.#storage.transaction(async (tx: Transaction<AuthTables>) => {
      await this.#storage.lock(tx, familyLock(family))
      // A concurrent exchange fails when its code or token is deleted.
      await tx.deleteFrom('oauth_codes').where('family', '=', family).execute()
      await tx.deleteFrom('oauth_tokens').where('family', '=', family).execute()
    })
  }
}

/** The lock that serializes exchanges with the revocation of their family, so that no new token is left. */
function familyLock(family: string): string {
  return `tokens ${family}`
}

/**
 * Locks a user or client until the transaction ends, because a new password and unpublishing revoke the tokens. Returns
 * whether it exists and is published.
 */
async function lockPublished(
  tx: Transaction<AuthTables>,
  table: 'users' | 'oauth_clients',
  id: number,
): Promise<boolean> {
  const query = tx.selectFrom(table).select('is_published').where('id', '=', id).forShare()
  return Boolean((await query.executeTakeFirst())?.is_published)
}

async function hasCode(tx: Transaction<AuthTables>, code: string): Promise<boolean> {
  const query = tx.selectFrom('oauth_codes').select('hash').where('hash', '=', hashToken(code))
  return (await query.executeTakeFirst()) !== undefined
}

async function deleteExpired(tx: Transaction<AuthTables>, before: number): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('expires_at', '<', before).execute()
  await tx.deleteFrom('oauth_codes').where('expires_at', '<', before).execute()
}

/** Returns whether this was the first use of a code or token. */
async function markUsed(
  db: Kysely<AuthTables>,
  table: 'oauth_codes' | 'oauth_tokens',
  { token, now }: { token: string; now: number },
): Promise<boolean> {
  const update = db.updateTable(table).set({ used_at: now })
  const unused = update.where('hash', '=', hashToken(token)).where('used_at', 'is', null)
  return (await unused.executeTakeFirst()).numUpdatedRows === 1n
}
