import type { Secret } from '../secret.ts'

/** Whose error codes have sentences here. */
export type TokenIssuer = 'entra' | 'google'

interface GrantFields {
  /** The token endpoint: https, or http on this machine. */
  readonly tokenUrl: string
  /** Null for an issuer that is not known. */
  readonly issuer: TokenIssuer | null
  readonly clientId: string
  /** Null for the issuer's default. */
  readonly scope: string | null
}

/**
 * An application that logs in as itself.
 * @see RFC 6749, section 4.4
 */
interface ClientCredentialsGrant extends GrantFields {
  readonly type: 'client_credentials'
  readonly clientSecret: Secret
}

/**
 * An application that a person has given access to a mailbox. A client without a secret is public.
 * @see RFC 6749, section 6
 */
interface RefreshTokenGrant extends GrantFields {
  readonly type: 'refresh_token'
  readonly clientSecret: Secret | null
  readonly refreshToken: Secret
}

/**
 * A service account that may act for the mailboxes of a domain: its id is the issuer of the assertion, the mailbox the subject.
 * @see RFC 7523
 */
interface AssertionGrant extends GrantFields {
  readonly type: 'jwt_bearer'
  /** An RSA key in PEM form. */
  readonly key: Secret
}

/** How an access token is obtained. */
export type TokenGrant = ClientCredentialsGrant | RefreshTokenGrant | AssertionGrant
