import type {
  AuthorizationServer,
  Client,
  CustomFetchOptions,
  TokenEndpointResponse,
} from 'oauth4webapi'
import { AppError } from '../../../kit/app-error.ts'
import { isLoopback } from '../../../kit/network-of.ts'

/** Where Google asks for consent, and where it issues tokens. */
export interface GoogleEndpoints {
  issuer: string
  authorization: string
  token: string
}

/** @see https://accounts.google.com/.well-known/openid-configuration */
export const googleEndpoints: GoogleEndpoints = {
  issuer: 'https://accounts.google.com',
  authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
}

/** The scope of SMTP, IMAP and POP with OAuth. Google has no narrower one for SMTP. */
const mailScope = 'https://mail.google.com/'

/** Sends the request of a token. It follows no redirect, and throws an AppError where no answer comes. */
export type TokenFetch = (
  url: string,
  request: CustomFetchOptions<'POST', URLSearchParams>,
) => Promise<Response>

/** A request for the consent of the owner of a mailbox. */
export interface ConsentRequest {
  endpoints: GoogleEndpoints
  clientId: string
  /** Where Google sends the browser with the code. */
  redirectUri: string
  /** What the answer must repeat: random, or sealed. */
  state: string
  /** PKCE (RFC 7636): 43 to 128 characters. */
  codeVerifier: string
}

/** Returns the address of Google's consent page. `mailbox` is the account that it suggests. */
export async function createAuthorizationUrl(
  { endpoints, clientId, redirectUri, state, codeVerifier }: ConsentRequest,
  mailbox?: string,
): Promise<string> {
  const { calculatePKCECodeChallenge } = await import('oauth4webapi')
  const url = new URL(endpoints.authorization)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: mailScope,
    state,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    // Without both, Google issues no refresh token, or only at the first consent.
    access_type: 'offline',
    prompt: 'consent',
    ...(mailbox === undefined ? {} : { login_hint: mailbox }),
  }).toString()
  return url.href
}

/** What the answer of the consent page is exchanged with. */
export interface CodeExchange extends ConsentRequest {
  clientSecret: string
  /** The query of the redirect URI. */
  response: URLSearchParams
  fetch: TokenFetch
}

/** A refresh token, and what to know about it. */
export interface GoogleGrant {
  refreshToken: string
  warnings: string[]
}

/**
 * Exchanges the answer of the consent page for a refresh token.
 *
 * @throws AppError `invalid` where Google or the user refuses, or `upstream` where the token endpoint fails; the message has the
 * remedy, and no secret.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<GoogleGrant> {
  const oauth = await import('oauth4webapi')
  const { endpoints, redirectUri, codeVerifier, clientSecret } = exchange
  const server: AuthorizationServer = { issuer: endpoints.issuer, token_endpoint: endpoints.token }
  const client: Client = { client_id: exchange.clientId }
  const codeParameters = await readResponse(server, client, exchange)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(clientSecret),
    codeParameters,
    redirectUri,
    codeVerifier,
    {
      [oauth.customFetch]: exchange.fetch,
      [oauth.allowInsecureRequests]: isLoopbackUrl(endpoints.token),
    },
  )
  try {
    return readGrant(await oauth.processAuthorizationCodeResponse(server, client, answer))
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof oauth.ResponseBodyError && error.status < 500)
      throw refused(exchange, error.error, error.error_description)
    // The cause may contain the answer, and with it tokens.
    throw unusable(endpoints.token, answer.status)
  }
}

/** Returns the parameters of the answer of the consent page, among them the code. */
async function readResponse(
  server: AuthorizationServer,
  client: Client,
  exchange: CodeExchange,
): Promise<URLSearchParams> {
  const { AuthorizationResponseError, validateAuthResponse } = await import('oauth4webapi')
  try {
    const parameters = validateAuthResponse(server, client, exchange.response, exchange.state)
    if (parameters.getAll('code').length === 1) return parameters
  } catch (error) {
    if (error instanceof AuthorizationResponseError)
      throw refused(exchange, error.error, error.error_description)
  }
  const message =
    'The answer of the consent page does not belong to this sign-in (state, iss or code). Repeat the sign-in.'
  throw new AppError('invalid', 'google_answer_foreign', message)
}

function readGrant(answer: TokenEndpointResponse): GoogleGrant {
  const { refresh_token: refreshToken, scope } = answer
  if (scope !== undefined && !scope.split(' ').includes(mailScope)) {
    const message = `The consent does not include the mailbox (${mailScope}). Repeat the sign-in, and allow this access.`
    throw new AppError('invalid', 'google_scope_missing', message)
  }
  if (refreshToken === undefined || refreshToken === '') {
    const message =
      "Google's answer has no refresh token. Remove the app's access at https://myaccount.google.com/connections, then repeat the sign-in."
    throw new AppError('invalid', 'google_refresh_token_missing', message)
  }
  const seconds = Number(answer['refresh_token_expires_in'])
  return { refreshToken, warnings: seconds > 0 ? [expiryWarning(seconds)] : [] }
}

/** Google sets this lifetime for apps in testing, and where the user limits the access. */
function expiryWarning(seconds: number): string {
  const days = Math.max(1, Math.round(seconds / 86_400))
  const lifetime = days === 1 ? '1 day' : `${days} days`
  return (
    `This refresh token expires in ${lifetime}. While an external app is in testing, its refresh tokens last 7 days: ` +
    'publish the app (Audience, in the Google Cloud console), then repeat the sign-in.'
  )
}

function refused(exchange: CodeExchange, error: string, description = ''): AppError {
  const remedy = remedyFor(error, exchange)
  if (remedy !== undefined) return new AppError('invalid', `google_${error}`, remedy)
  const reason = [error, description].filter((text) => text !== '').join(': ')
  const message = `Google refused the sign-in: ${shown(reason, exchange)}. Check the client in the Google Cloud console, then repeat the sign-in.`
  return new AppError('invalid', 'google_refused', message)
}

function remedyFor(error: string, { redirectUri }: CodeExchange): string | undefined {
  switch (error) {
    case 'access_denied':
      return (
        'The consent was denied (access_denied). Repeat the sign-in and allow the access. ' +
        'While the app is in testing, only its test users may: add the account in the Google Cloud console (Audience).'
      )
    case 'invalid_client':
      return (
        'Google does not know this client with this secret (invalid_client). Copy the client id and the client secret ' +
        'once more from the Google Cloud console (Clients); the type of the client must be "Web application".'
      )
    case 'redirect_uri_mismatch':
      return `The redirect URI is not registered (redirect_uri_mismatch). Add ${redirectUri} to the client in the Google Cloud console, which must be of the type "Web application".`
    case 'invalid_grant':
      return 'Google did not accept the code (invalid_grant): it was used, or has expired. Repeat the sign-in.'
    default:
      return undefined
  }
}

/** Text of a server, on one line and without what it was sent. */
function shown(text: string, { clientSecret, response }: CodeExchange): string {
  return [clientSecret, response.get('code') ?? '']
    .filter((secret) => secret !== '')
    .reduce((masked, secret) => masked.replaceAll(secret, '********'), text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 200)
    .replace(/[.\s]+$/, '')
}

function unusable(tokenEndpoint: string, status: number): AppError {
  const { host } = new URL(tokenEndpoint)
  const reason = status === 200 ? 'answered without usable tokens' : `answered ${status}`
  const message = `The token endpoint ${host} ${reason}. Repeat the sign-in later.`
  return new AppError('upstream', 'google_token_endpoint_failed', message)
}

/** Whether a URL stays on this machine, so that it needs no TLS. */
export function isLoopbackUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  return host === 'localhost' || isLoopback(host)
}
