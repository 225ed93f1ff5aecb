import { AppError } from '../../../kit/app-error.ts'
import { type Caller, callerKey } from '../../../kit/caller.ts'
import { type Clock, isInFuture } from '../../../kit/clock.ts'
import type { Keyring } from '../../../platform/storage/index.ts'
import {
  createAuthorizationUrl,
  exchangeCode,
  type GoogleEndpoints,
  type GoogleGrant,
  googleEndpoints,
  isLoopbackUrl,
  type TokenFetch,
} from './google-consent.ts'

export interface GoogleSignInParts {
  keyring: Keyring
  clock: Clock
  fetch: TokenFetch
  /** Creates a code verifier: random, of 43 characters or more. */
  createCodeVerifier: () => string
  /** Where people reach Mailyard; undefined if it is not set. */
  publicUrl: string | undefined
  /** Default: those of Google. */
  endpoints?: GoogleEndpoints | undefined
}

/** A page, so it is not below `/api`, whose answers are all JSON. */
export const callbackPath = '/oauth/google/callback'

/** How long a sign-in may take. Far less than a retired data key is kept. */
const lifetimeMs = 600_000
const purpose = 'google sign-in'

/** What a sign-in is bound to. It travels through Google as the encrypted `state`, so that no process has to remember it. */
interface SignInState {
  /** See `callerKey`. */
  caller: string
  clientId: string
  codeVerifier: string
  startedAt: number
}

/** Gets refresh tokens by signing in with Google in a browser. */
export class GoogleSignIn {
  /** What is registered at Google; undefined where Google could not send a browser back to Mailyard. */
  readonly redirectUri: string | undefined
  readonly #parts: GoogleSignInParts
  readonly #endpoints: GoogleEndpoints

  constructor(parts: GoogleSignInParts) {
    this.#parts = parts
    this.#endpoints = parts.endpoints ?? googleEndpoints
    this.redirectUri = redirectUriOf(parts.publicUrl)
  }

  /** Returns the address of the consent page. Throws an AppError (`invalid`) without a redirect URI. */
  async start(clientId: string, caller: Caller, mailbox?: string): Promise<string> {
    const { keyring, clock, createCodeVerifier } = this.#parts
    const codeVerifier = createCodeVerifier()
    const startedAt = clock.now()
    const bound: SignInState = { caller: callerKey(caller), clientId, codeVerifier, startedAt }
    const { keyId, sealed } = await keyring.sealBytes(purpose, [Buffer.from(JSON.stringify(bound))])
    const state = `${keyId}.${Buffer.from(sealed).toString('base64url')}`
    const redirectUri = this.#getRedirectUri()
    const request = { endpoints: this.#endpoints, clientId, redirectUri, state, codeVerifier }
    return createAuthorizationUrl(request, mailbox)
  }

  /** Whether a sign-in with this state was started here and has not expired. */
  async isStarted(state: string): Promise<boolean> {
    return (await this.#open(state)) !== undefined
  }

  /**
   * Exchanges the query of the callback for a refresh token. Google accepts each code once.
   *
   * @throws AppError `invalid` where another caller or client started the sign-in, where it has expired, or as `exchangeCode`.
   */
  async finish(
    query: string,
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
    caller: Caller,
  ): Promise<GoogleGrant> {
    const response = new URLSearchParams(query)
    const state = response.get('state') ?? ''
    const bound = await this.#open(state)
    if (bound?.caller !== callerKey(caller) || bound.clientId !== clientId) throw signInUnknown()
    return exchangeCode({
      endpoints: this.#endpoints,
      clientId,
      clientSecret,
      redirectUri: this.#getRedirectUri(),
      state,
      codeVerifier: bound.codeVerifier,
      response,
      fetch: this.#parts.fetch,
    })
  }

  #getRedirectUri(): string {
    if (this.redirectUri !== undefined) return this.redirectUri
    const message =
      'Google cannot send the browser back: MAILYARD_PUBLIC_URL must be set, and begin with https, or with http://localhost. docs/transports.md says how to sign in through an SSH tunnel.'
    throw new AppError('invalid', 'google_redirect_uri_missing', message)
  }

  /** Decrypts a state. Returns undefined for one that was changed, is not from here, or has expired. */
  async #open(state: string): Promise<SignInState | undefined> {
    const { keyring, clock } = this.#parts
    const [, keyId = '', text = ''] = /^([0-9a-f]{8})\.([\w-]{40,4000})$/.exec(state) ?? []
    if (text === '') return undefined
    try {
      const sealed = Buffer.from(text, 'base64url')
      const bound: SignInState = JSON.parse(
        (await keyring.openBytes(purpose, { keyId, sealed })).toString(),
      )
      const now = clock.now()
      const isOver = bound.startedAt + lifetimeMs <= now || isInFuture(bound.startedAt, now)
      return isOver ? undefined : bound
    } catch (error) {
      // The database did not answer.
      if (error instanceof AppError) throw error
      return undefined
    }
  }
}

/** Google sends browsers to https, and to loopback addresses. */
function redirectUriOf(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined
  const isAllowed = new URL(publicUrl).protocol === 'https:' || isLoopbackUrl(publicUrl)
  return isAllowed ? `${publicUrl}${callbackPath}` : undefined
}

function signInUnknown(): AppError {
  const message =
    'This sign-in was not started by you with this client, or was started more than 10 minutes ago. Start it again.'
  return new AppError('invalid', 'google_sign_in_unknown', message)
}
