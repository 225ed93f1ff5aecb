import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Storage } from '../../storage/index.ts'
import type { Account, Accounts } from '../accounts.ts'
import { createToken, hashToken } from '../secret-token.ts'
import type { AuthTables, UserRow } from '../table.ts'

const cookieName = 'mailyard_session'
const cookiePath = '/oauth/v2'
const lifetimeMs = 3_600_000

/** Somebody who is logged in to the consent page. */
export interface Session {
  account: Account
  /** Proves that a form came from a page of this session. */
  csrfToken: string
}

/** Log-ins in a browser: kept as hashes, ended with the password, and only good for the consent page. */
export interface Sessions {
  find(request: FastifyRequest): Promise<Session | undefined>
  /** False where the account's password is another one by now. */
  start(reply: FastifyReply, account: Account): Promise<boolean>
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

export function openSessions(parts: {
  storage: Storage
  accounts: Accounts
  clock: Clock
}): Sessions {
  const { storage, accounts, clock } = parts
  const db = storage.tables<AuthTables>()
  return {
    async find(request) {
      const token = readCookie(request)
      if (token === undefined) return undefined
      const query = db.selectFrom('login_sessions').selectAll().where('hash', '=', hashToken(token))
      const row = await query.where('expires_at', '>', clock.now()).executeTakeFirst()
      const account = row === undefined ? undefined : await accounts.findById(row.user_id)
      return account === undefined ? undefined : { account, csrfToken: csrfTokenOf(token) }
    },
    async start(reply, { user }) {
      const token = createToken()
      const now = clock.now()
      const row = { hash: hashToken(token), user_id: user.id, expires_at: now + lifetimeMs }
      const isStarted = await storage.transaction(async (tx: Transaction<AuthTables>) => {
        await tx.deleteFrom('login_sessions').where('expires_at', '<', now).execute()
        if (!(await isStillPassword(tx, user))) return false
        await tx.insertInto('login_sessions').values(row).execute()
        return true
      })
      if (isStarted) setCookie(reply, token, lifetimeMs / 1_000)
      return isStarted
    },
    async end(request, reply) {
      const token = readCookie(request)
      if (token !== undefined) {
        await db.deleteFrom('login_sessions').where('hash', '=', hashToken(token)).execute()
      }
      setCookie(reply, '', 0)
    },
  }
}

/** Keeps the user from being changed until the transaction ends: a new password ends the sessions. */
async function isStillPassword(tx: Transaction<AuthTables>, user: UserRow): Promise<boolean> {
  const query = tx.selectFrom('users').select('password_hash').where('id', '=', user.id).forShare()
  return (await query.executeTakeFirst())?.password_hash === user.password_hash
}

/** Whether a form carries the token of this session. */
export function isCsrfToken(session: Session, given: unknown): boolean {
  const wanted = Buffer.from(session.csrfToken)
  const bytes = Buffer.from(typeof given === 'string' ? given : '')
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
}

function csrfTokenOf(token: string): string {
  return hash('sha256', `form ${token}`, 'base64url')
}

function readCookie(request: FastifyRequest): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName}=([A-Za-z0-9_-]{1,100})(?:;|$)`)
  return pattern.exec(request.headers.cookie ?? '')?.[1]
}

function setCookie(reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = reply.request.protocol === 'https' ? '; Secure' : ''
  const attributes = `Path=${cookiePath}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
  reply.header('set-cookie', `${cookieName}=${value}; ${attributes}`)
}
