import type { Generated } from 'kysely'
import type { ColumnsOf } from '../resource/index.ts'
import type { RecordRow, RecordTable } from '../storage/index.ts'
import type { clientRecord } from './clients/client-schema.ts'
import type { roleRecord } from './roles/role-schema.ts'
import type { userRecord } from './users/user-schema.ts'

export interface RoleRow extends RecordRow, ColumnsOf<typeof roleRecord> {}

export interface UserRow extends RecordRow, ColumnsOf<typeof userRecord> {
  /** Normalized, unique over user names and email addresses together. */
  username_key: string
  /** What the name looks like; see `nameSkeleton`. Saving a user compares it; the database does not. */
  username_skeleton: string
  email_key: string
  /** Argon2id in PHC string format; empty for a user that cannot log in. */
  password_hash: string
  role_id: number
}

export interface ClientRow extends RecordRow, ColumnsOf<typeof clientRecord> {
  client_id: string
  /** SHA-256 in hex: the secret has 256 random bits itself. */
  secret_hash: string
}

export interface TokenRow {
  /** SHA-256 in hex. */
  hash: string
  kind: 'access' | 'refresh'
  /** The log-in that the token comes from; a second use of a token revokes its family. */
  family: string
  client_id: number
  /** Null for a client that acts for itself. */
  user_id: number | null
  /** In milliseconds since the epoch. */
  created_at: number
  expires_at: number
  /** When a refresh token was exchanged. A second exchange means that it was stolen. */
  used_at: number | null
}

export interface CodeRow {
  hash: string
  family: string
  client_id: number
  user_id: number
  /** See `TokenRow`. */
  created_at: number
  redirect_uri: string
  code_challenge: string | null
  code_challenge_method: string | null
  expires_at: number
  used_at: number | null
}

/** A log-in to the console. Times are in milliseconds since the epoch. */
export interface ConsoleSessionRow {
  id: number
  /** SHA-256 of the cookie, in hex. */
  hash: string
  user_id: number
  created_at: number
  used_at: number
  expires_at: number
  address: string
  user_agent: string
}

/** A log-in to the consent page, or a link with which a user chooses a password. */
export interface UserTokenRow {
  /** SHA-256 of the token, in hex. */
  hash: string
  user_id: number
  /** In milliseconds since the epoch. */
  expires_at: number
}

// A type and not an interface: Kysely's withTables asks for an index signature.
export type AuthTables = {
  roles: RecordTable<RoleRow>
  users: RecordTable<UserRow>
  oauth_clients: RecordTable<ClientRow>
  oauth_tokens: TokenRow
  oauth_codes: CodeRow
  login_sessions: UserTokenRow
  password_links: UserTokenRow
  console_sessions: Omit<ConsoleSessionRow, 'id'> & { id: Generated<number> }
}
