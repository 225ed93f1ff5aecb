import { createRequire } from 'node:module'
import type OAuth2Server from '@node-oauth/oauth2-server'
import type {
  AuthorizationCode,
  AuthorizationCodeModel,
  Client,
  ClientCredentialsModel,
  RefreshToken,
  RefreshTokenModel,
  Token,
} from '@node-oauth/oauth2-server'
import type { Accounts } from '../accounts.ts'
import { createToken, hashToken } from '../credentials.ts'
import type { ClientRow, CodeRow, TokenRow } from '../table.ts'
import type { Exchanged, Grant, GrantStore, NewToken } from './grant-store.ts'

const require = createRequire(import.meta.url)

/** Loads the OAuth library at its first use: its 46 modules would take a tenth of the start. */
export function loadOAuthLibrary(): typeof OAuth2Server {
  return require('@node-oauth/oauth2-server') as typeof OAuth2Server
}

export interface OAuthModelParts {
  grants: GrantStore
  accounts: Accounts
}

/** The library's user: `userId` is null for a client that acts for itself. */
interface TokenUser {
  userId: number | null
  family: string
}

type OAuthModel = AuthorizationCodeModel & RefreshTokenModel & ClientCredentialsModel

/**
 * Creates the model of the OAuth library for one request to the token endpoint or the consent page. A refresh token is
 * marked as used in the transaction that saves its successor, so that a crash between the two loses neither.
 */
export function createOAuthModel(parts: OAuthModelParts, address: string): OAuthModel {
  const { grants, accounts } = parts
  /** Whether the user of a grant may still log in; a client that acts for itself has none. */
  const isStillUser = async ({ user_id: userId }: { user_id: number | null }) =>
    userId === null || (await accounts.findById(userId, address)) !== undefined
  const exchanged: Exchanged = {}
  return {
    generateAuthorizationCode: async () => createToken(),
    async saveAuthorizationCode(code, client, user) {
      await grants.saveCode({
        hash: hashToken(code.authorizationCode),
        family: createToken(),
        client_id: (client as OAuthClient).key,
        user_id: (user as { userId: number }).userId,
        redirect_uri: code.redirectUri,
        code_challenge: code.codeChallenge ?? null,
        code_challenge_method: code.codeChallengeMethod ?? null,
        expires_at: code.expiresAt.getTime(),
        used_at: null,
      })
      return { ...code, client, user }
    },
    async getAuthorizationCode(authorizationCode) {
      const grant = await grants.findCode(authorizationCode)
      if (grant === undefined || !(await isStillUser(grant.row))) return undefined
      const { redirect_uri: redirectUri, expires_at: expiresAt } = grant.row
      const code = { authorizationCode, expiresAt: new Date(expiresAt), redirectUri }
      return { ...code, ...challengeOf(grant.row), ...owner(grant) } satisfies AuthorizationCode
    },
    async revokeAuthorizationCode({ authorizationCode }) {
      exchanged.code = authorizationCode
      return grants.useCode(authorizationCode)
    },
    generateAccessToken: async () => createToken(),
    generateRefreshToken: async () => createToken(),
    validateScope: async (_user, _client, scope) => checkScope(scope),
    getAccessToken: async () => undefined,
    async getClient(clientId, secret) {
      // The library passes null on the consent page, which needs no secret, and undefined for a token request without a
      // secret, which PKCE does not replace.
      if (secret === undefined) return undefined
      const client = await grants.findClient(clientId, secret ?? undefined)
      if (client === undefined) return undefined
      // On the consent page, the address is that of the user.
      const from = secret === null ? undefined : address
      const mayLogIn = accounts.rules.mayLogIn(`client ${client.id}`, client, from)
      return mayLogIn ? toClient(client) : undefined
    },
    async getUserFromClient(client) {
      const user: TokenUser = { userId: null, family: createToken() }
      return (client as OAuthClient).hasRole ? user : undefined
    },
    async getRefreshToken(refreshToken) {
      const grant = await grants.findRefreshToken(refreshToken)
      if (grant === undefined || !(await isStillUser(grant.row))) return undefined
      const token = { refreshToken, refreshTokenExpiresAt: new Date(grant.row.expires_at) }
      return { ...token, ...owner(grant) } satisfies RefreshToken
    },
    async revokeToken({ refreshToken }) {
      exchanged.refreshToken = refreshToken
      return true
    },
    async saveToken(token, client, user) {
      const usableToken = withoutUselessRefresh(token, client)
      const rows = toRows(usableToken, client as OAuthClient, user as TokenUser)
      if (await grants.saveTokens(rows, exchanged)) return { ...usableToken, client, user }
      throw new (loadOAuthLibrary().InvalidGrantError)(
        'Invalid grant: it was already used or revoked',
      )
    },
  }
}

/** Throws for any scope (RFC 6749, section 3.3), because a token always has all permissions of its user or client. */
function checkScope(scope: string[] | undefined): string[] {
  if (scope === undefined) return []
  throw new (loadOAuthLibrary().InvalidScopeError)(
    'Invalid scope: scopes are not supported. Leave scope out and set the role of the user or the client',
  )
}

function challengeOf(row: CodeRow): { codeChallenge?: string; codeChallengeMethod?: string } {
  const { code_challenge: codeChallenge, code_challenge_method: codeChallengeMethod } = row
  if (codeChallenge === null) return {}
  return { codeChallenge, ...(codeChallengeMethod === null ? {} : { codeChallengeMethod }) }
}

/** The library's client, with its row's id. */
interface OAuthClient extends Client {
  key: number
  hasRole: boolean
}

function toClient(row: ClientRow): OAuthClient {
  return {
    id: row.client_id,
    key: row.id,
    hasRole: row.role_id !== null,
    grants: JSON.parse(row.grant_types) as string[],
    redirectUris: JSON.parse(row.redirect_uris) as string[],
  }
}

function owner({ row, client }: Grant<{ user_id: number | null; family: string }>) {
  const user: TokenUser = { userId: row.user_id, family: row.family }
  return { client: toClient(client), user }
}

/** Removes the refresh token for a client without the grant refresh_token. */
function withoutUselessRefresh(token: Token, client: Client): Token {
  const { refreshToken, refreshTokenExpiresAt, ...rest } = token
  const mayRefresh = [client.grants].flat().includes('refresh_token')
  if (!mayRefresh || refreshToken === undefined || refreshTokenExpiresAt === undefined) return rest
  return { ...rest, refreshToken, refreshTokenExpiresAt }
}

function toRows(
  token: Token,
  client: OAuthClient,
  { userId, family }: TokenUser,
): [NewToken, ...NewToken[]] {
  const row = (kind: TokenRow['kind'], text: string, expiresAt: Date | undefined): NewToken => ({
    hash: hashToken(text),
    kind,
    family,
    client_id: client.key,
    user_id: userId,
    expires_at: expiresAt?.getTime() ?? 0,
    used_at: null,
  })
  const access = row('access', token.accessToken, token.accessTokenExpiresAt)
  if (token.refreshToken === undefined) return [access]
  return [access, row('refresh', token.refreshToken, token.refreshTokenExpiresAt)]
}
