import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface RoleRow extends RecordRow {
  name: string
  description: string | null
  is_admin: boolean
  /** JSON: `{"email": ["view", …]}`. */
  permissions: string
}

export interface UserRow extends RecordRow {
  username: string
  /** Folded, unique over user names and email addresses together. */
  username_key: string
  /** What the name looks like; see `nameSkeleton`. Not unique: names from before it was compared may look alike. */
  username_skeleton: string
  email: string
  email_key: string
  first_name: string
  last_name: string
  /** Argon2id in PHC string format; empty where nobody can log in. */
  password_hash: string
  role_id: number
}

export interface ClientRow extends RecordRow {
  name: string
  client_id: string
  /** SHA-256 in hex: the secret has 256 random bits itself. */
  secret_hash: string
  /** JSON lists. */
  redirect_uris: string
  grant_types: string
  /** What the client itself may do, with client_credentials. */
  role_id: number | null
}

export interface TokenRow {
  /** SHA-256 in hex. */
  hash: string
  kind: 'access' | 'refresh'
  /** All tokens that one log-in led to. */
  family: string
  client_id: number
  /** Null for a client that acts for itself. */
  user_id: number | null
  expires_at: number
  /** When a refresh token was exchanged: a second exchange is theft. */
  used_at: number | null
}

export interface CodeRow {
  hash: string
  family: string
  client_id: number
  user_id: number
  redirect_uri: string
  code_challenge: string | null
  code_challenge_method: string | null
  expires_at: number
  used_at: number | null
}

export interface SessionRow {
  hash: string
  user_id: number
  expires_at: number
}

// A type and not an interface: Kysely's withTables asks for an index signature.
export type AuthTables = {
  roles: RecordTable<RoleRow>
  users: RecordTable<UserRow>
  oauth_clients: RecordTable<ClientRow>
  oauth_tokens: TokenRow
  oauth_codes: CodeRow
  login_sessions: SessionRow
}
