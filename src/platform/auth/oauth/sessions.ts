import { hash } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { type Clock, isInFuture } from '../../../kit/clock.ts'
import type { Storage } from '../../storage/index.ts'
import type { Account, Accounts } from '../accounts.ts'
import { createToken, hashToken, isSameSecret } from '../credentials.ts'
import { lockUnchanged } from '../sessions/console-sessions.ts'
import type { AuthTables } from '../table.ts'

const cookieName = 'mailyard_session'
const lifetimeMs = 3_600_000

/** A log-in to the consent page. */
export interface Session {
  account: Account
  /** The token that a form of this session must send. */
  csrfToken: string
}

/** See `openSessions`. */
export type Sessions = ReturnType<typeof openSessions>

/**
 * Opens the sessions of the consent page. Only their hashes are stored, and a new password deletes them, as does unpublishing the
 * user.
 */
export function openSessions(parts: { storage: Storage; accounts: Accounts; clock: Clock }) {
  const { storage, accounts, clock } = parts
  const db = storage.tables<AuthTables>()
  return {
    async find(request: FastifyRequest): Promise<Session | undefined> {
      const token = request.cookies[cookieName]
      if (!token) return undefined
      const query = db.selectFrom('login_sessions').selectAll().where('hash', '=', hashToken(token))
      const row = await query.executeTakeFirst()
      if (row === undefined) return undefined
      const now = clock.now()
      if (row.expires_at <= now || isInFuture(row.expires_at - lifetimeMs, now)) {
        // It stays over when the clock is set back.
        await db.deleteFrom('login_sessions').where('hash', '=', row.hash).execute()
        return undefined
      }
      const account = await accounts.findById(row.user_id, request.ip)
      return account === undefined ? undefined : { account, csrfToken: csrfTokenOf(token) }
    },
    /** Starts a session. Returns false when the password was changed or the user unpublished meanwhile. */
    async start(reply: FastifyReply, { user }: Account): Promise<boolean> {
      const token = createToken()
      const expiresAt = clock.now() + lifetimeMs
      const row = { hash: hashToken(token), user_id: user.id, expires_at: expiresAt }
      const isStarted = await storage.transaction(async (tx: Transaction<AuthTables>) => {
        if (!(await lockUnchanged(tx, user))) return false
        await tx.insertInto('login_sessions').values(row).execute()
        return true
      })
      if (isStarted) reply.setCookie(cookieName, token, cookieOptions(reply, lifetimeMs / 1_000))
      return isStarted
    },
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const token = request.cookies[cookieName]
      if (token) {
        await db.deleteFrom('login_sessions').where('hash', '=', hashToken(token)).execute()
      }
      reply.setCookie(cookieName, '', cookieOptions(reply, 0))
    },
  }
}

/** Whether a form has the CSRF token of this session. */
export function isCsrfToken(session: Session, value: unknown): boolean {
  return typeof value === 'string' && isSameSecret(value, session.csrfToken)
}

function csrfTokenOf(token: string): string {
  return hash('sha256', `form ${token}`, 'base64url')
}

/** For the OAuth pages only: no script reads the cookie, and forms of other sites are sent without it. */
function cookieOptions(reply: FastifyReply, maxAge: number): CookieSerializeOptions {
  const secure = reply.request.protocol === 'https'
  return { path: '/oauth/v2', maxAge, httpOnly: true, sameSite: 'lax', secure }
}
