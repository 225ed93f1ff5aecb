import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import { type Clock, isInFuture } from '../../../kit/clock.ts'
import { formatDate } from '../../../kit/iso-date.ts'
import { createLookUp, type LookUp, type Storage } from '../../storage/index.ts'
import { type Account, type Accounts, userCaller } from '../accounts.ts'
import { createToken, hashToken } from '../credentials.ts'
import type { AuthTables, ConsoleSessionRow } from '../table.ts'

const cookieName = 'mailyard_console'
/** A session ends this long after its last request … */
export const idleMs = 8 * 3_600_000
/** … and this long after its log-in in any case. */
const lifetimeMs = 7 * 86_400_000
/** How old the note of the last request may be: not each request writes. */
const noteMs = 60_000
const userAgentLength = 200
/** How many sessions a user has: one more ends the oldest. */
const sessionsMax = 20

interface ConsoleSessionParts {
  storage: Storage
  accounts: Accounts
  clock: Clock
}

/** Log-ins to the console: kept as hashes, and ended with the password of their user and when the user is unpublished. */
export class ConsoleSessions {
  readonly #parts: ConsoleSessionParts
  readonly #db: Kysely<AuthTables>
  readonly #findByHash: LookUp<{ hash: string }, ConsoleSessionRow>

  constructor(parts: ConsoleSessionParts) {
    const db = parts.storage.tables<AuthTables>()
    this.#parts = parts
    this.#db = db
    this.#findByHash = createLookUp(parts.storage, ({ hash }) =>
      db.selectFrom('console_sessions').selectAll().where('hash', '=', hash),
    )
  }

  /** Whether a request has the cookie of a session, valid or not. */
  hasCookie(request: Pick<FastifyRequest, 'headers'>): boolean {
    return readCookie(request) !== undefined
  }

  /** The caller of a request with the cookie of a session; undefined where it has ended, or its user may not log in from there. */
  async findCaller(request: Pick<FastifyRequest, 'headers' | 'ip'>): Promise<Caller | undefined> {
    const token = readCookie(request)
    const row = token === undefined ? undefined : await this.#findByHash({ hash: hashToken(token) })
    const now = this.#parts.clock.now()
    if (row === undefined) return undefined
    if (!isValid(row, now)) {
      // So that it stays over when the clock is set back. A full disk must not turn the answer into another one.
      await this.remove(row.user_id, row.id).catch(() => undefined)
      return undefined
    }
    const account = await this.#parts.accounts.findById(row.user_id, request.ip)
    if (account === undefined) return undefined
    if (now - row.used_at >= noteMs) {
      const update = this.#db.updateTable('console_sessions').set({ used_at: now })
      // A full disk must not end the session.
      await update
        .where('id', '=', row.id)
        .execute()
        .catch(() => undefined)
    }
    return userCaller(account)
  }

  /** Starts a session and sets its cookie. False where the account has another password or is unpublished by now. */
  async start(request: FastifyRequest, reply: FastifyReply, { user }: Account): Promise<boolean> {
    const token = createToken()
    const now = this.#parts.clock.now()
    const row = {
      hash: hashToken(token),
      user_id: user.id,
      created_at: now,
      used_at: now,
      expires_at: now + lifetimeMs,
      address: request.ip,
      user_agent: (request.headers['user-agent'] ?? '').slice(0, userAgentLength),
    }
    const isStarted = await this.#parts.storage.transaction(async (tx: Transaction<AuthTables>) => {
      if (!(await lockUnchanged(tx, user))) return false
      await tx.insertInto('console_sessions').values(row).execute()
      await removeOldest(tx, user.id)
      return true
    })
    if (isStarted) setCookie(reply, token, lifetimeMs / 1_000)
    return isStarted
  }

  /** Ends the session of a request. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = readCookie(request)
    setCookie(reply, '', 0)
    if (token === undefined) return
    await this.#db.deleteFrom('console_sessions').where('hash', '=', hashToken(token)).execute()
  }

  /** The sessions of a user as the API shows them, the last used first. */
  async list(request: FastifyRequest, userId: number) {
    const currentHash = hashToken(readCookie(request) ?? '')
    const query = this.#db.selectFrom('console_sessions').selectAll().where('user_id', '=', userId)
    const rows = await query.orderBy('used_at', 'desc').execute()
    return rows
      .filter((row) => isValid(row, this.#parts.clock.now()))
      .map((row) => ({
        id: row.id,
        address: row.address,
        userAgent: row.user_agent,
        dateAdded: formatDate(row.created_at),
        dateUsed: formatDate(row.used_at),
        dateEnds: formatDate(row.expires_at),
        isCurrent: row.hash === currentHash,
      }))
  }

  /** Ends one session of a user. Throws an AppError (`not_found`). */
  async remove(userId: number, id: number): Promise<void> {
    const query = this.#db.deleteFrom('console_sessions').where('id', '=', id)
    const { numDeletedRows } = await query.where('user_id', '=', userId).executeTakeFirst()
    if (numDeletedRows > 0n) return
    throw new AppError('not_found', 'session_not_found', `Session ${id} was not found.`)
  }

  /** Ends all sessions of a user. */
  async removeAll(userId: number): Promise<void> {
    await this.#db.deleteFrom('console_sessions').where('user_id', '=', userId).execute()
  }
}

function isValid(row: ConsoleSessionRow, now: number): boolean {
  if (isInFuture(row.created_at, now) || isInFuture(row.used_at, now)) return false
  return row.expires_at > now && row.used_at + idleMs > now
}

/**
 * Locks the user until the transaction ends, because a new password and unpublishing delete the sessions, and so that one log-in after
 * the other counts them. Returns whether the user is published and has the same password.
 */
export async function lockUnchanged(
  tx: Transaction<AuthTables>,
  user: Account['user'],
): Promise<boolean> {
  const query = tx.selectFrom('users').selectAll().where('id', '=', user.id).forNoKeyUpdate()
  const current = await query.executeTakeFirst()
  return Boolean(current?.is_published) && current?.password_hash === user.password_hash
}

async function removeOldest(tx: Transaction<AuthTables>, userId: number): Promise<void> {
  const query = tx.selectFrom('console_sessions').select('id').where('user_id', '=', userId)
  const oldest = await query.orderBy('id', 'desc').offset(sessionsMax).limit(1).executeTakeFirst()
  if (oldest === undefined) return
  const removal = tx.deleteFrom('console_sessions').where('user_id', '=', userId)
  await removal.where('id', '<=', oldest.id).execute()
}

function readCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName}=([A-Za-z0-9_-]{1,100})(?:;|$)`)
  return pattern.exec(headers.cookie ?? '')?.[1]
}

function setCookie(reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = reply.request.protocol === 'https' ? '; Secure' : ''
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
  reply.header('set-cookie', `${cookieName}=${value}; ${attributes}`)
}
