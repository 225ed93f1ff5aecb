import { AccessToken, type AccessTokenParts } from './access-token.ts'
import type { TokenGrant } from './token-grant.ts'

/** The access tokens of a transport: one for all mailboxes, or for a service account one for each mailbox. */
export class AccessTokens {
  readonly #grant: TokenGrant
  readonly #parts: AccessTokenParts
  #shared: AccessToken | undefined

  constructor(grant: TokenGrant, parts: AccessTokenParts) {
    this.#grant = grant
    this.#parts = parts
  }

  /** Returns the token for a mailbox. Keep the one of a service account, which is created by each call. */
  of(mailbox: string): AccessToken {
    if (this.#grant.type === 'jwt_bearer') return this.#create(mailbox)
    this.#shared ??= this.#create(mailbox)
    return this.#shared
  }

  #create(mailbox: string): AccessToken {
    return new AccessToken(this.#grant, mailbox, this.#parts)
  }
}
