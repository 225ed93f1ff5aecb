import { oneLine } from '../../../kit/one-line.ts'
import { type HttpResponse, retryAfterMs } from '../connect/http-message.ts'
import type { FaultCode } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { TokenGrant, TokenIssuer } from './token-grant.ts'

/**
 * What to do about the errors of Microsoft Entra ID.
 * @see https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const entraHints = new Map(
  Object.entries({
    AADSTS7000215:
      'The DSN needs the value of the client secret, not its id. Entra shows the value only once: create another secret under App registrations, Certificates & secrets, and save its value.',
    AADSTS7000222:
      'The client secret has expired. Create another one in Entra under App registrations, Certificates & secrets, and save its value in the DSN.',
    AADSTS700016:
      'The application is not in this tenant. Check the application (client) id, and that tenantId is the tenant where the application is registered.',
    AADSTS7000229:
      'The application has no service principal in this tenant. Have an administrator of the tenant grant admin consent to the application.',
    AADSTS700082:
      'The refresh token was not used for too long. Sign in again and save the new one.',
    AADSTS50173:
      'The password of the mailbox was changed. Sign in again and save the refresh token.',
    AADSTS500011:
      'The tenant does not know the resource of the scope. Exchange Online must be part of the tenant; check tenantId and scope.',
    AADSTS65001:
      'The application has no consent. Have an administrator grant admin consent to SMTP.SendAsApp of Office 365 Exchange Online.',
    AADSTS90002: 'Check tenantId: the directory (tenant) id, or a domain of the tenant.',
    AADSTS900023: 'Check tenantId: the directory (tenant) id, or a domain of the tenant.',
    AADSTS53003:
      'A Conditional Access policy of the tenant blocks the application. Have an administrator allow it.',
  }),
)

/**
 * What to do about the errors of Google.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server#exchange-errors
 */
const googleHints: Record<TokenGrant['type'], ReadonlyMap<string, string>> = {
  client_credentials: new Map(),
  refresh_token: new Map(
    Object.entries({
      invalid_grant:
        'The refresh token has expired or was revoked. That of an external app whose consent screen is in testing expires after 7 days: publish the app, or use an internal one. Then sign in again and save the new token.',
      invalid_client: 'Check the client id and the client secret, from the same OAuth client.',
      unauthorized_client:
        'The refresh token was issued to another OAuth client. Use its client id and secret, or sign in again.',
    }),
  ),
  jwt_bearer: new Map(
    Object.entries({
      invalid_grant:
        'Check the mailbox, which must be of the Workspace domain, the email of the service account, its key, and the clock of this machine.',
      unauthorized_client:
        'Have the Workspace administrator delegate the scope https://mail.google.com/ to the client id of the service account (Security, API controls, domain-wide delegation).',
      invalid_client: 'Check the email of the service account.',
    }),
  ),
}

const generalHints: Record<TokenGrant['type'], string> = {
  client_credentials:
    'Check the client id and the client secret, and whether the secret has expired.',
  refresh_token:
    'Check the client id and the client secret. The refresh token may have expired or been revoked: sign in again and save the new one.',
  jwt_bearer: 'Check the email of the service account, its key, and the mailbox.',
}

const issuerTitles: Record<TokenIssuer, string> = { entra: 'Microsoft Entra ID', google: 'Google' }

function titleOf({ issuer, tokenUrl }: TokenGrant): string {
  return issuer === null ? new URL(tokenUrl).host : issuerTitles[issuer]
}

const checkUrl =
  'Check the token URL, and the network and the firewall of this machine. Then try again.'
const lost = new Set<FaultCode>([
  'host_not_found',
  'connection_refused',
  'no_answer',
  'unreachable',
  'connection_closed',
  'redirected',
  'stalled',
])

/** Creates the fault of a request that had no answer. The message was not sent. */
export function lostRequest(error: unknown): unknown {
  if (!(error instanceof FaultError)) return error
  const { fault } = error
  const message = `There is no access token. ${fault.message}`
  const hint = lost.has(fault.code) ? checkUrl : fault.hint
  return new FaultError({ ...fault, stage: 'token', message, hint }, { cause: error })
}

/**
 * Reads the error of an answer: its code (`AADSTS7000215`, or the error of RFC 6749; '' for none) and its text, of which only
 * the first line is a sentence; trace and correlation ids follow.
 */
function readError({ body }: HttpResponse) {
  let fields: Record<string, unknown> = {}
  try {
    fields = Object(JSON.parse(body)) as Record<string, unknown>
  } catch {
    // An answer that is no JSON has no error that can be shown.
  }
  const error = textOf(fields['error'])
  const [sentence = ''] = textOf(fields['error_description']).split(/\r?\n| Trace ID:/)
  const code = /\bAADSTS\d+/.exec(sentence)?.[0] ?? error
  return {
    code: oneLine(code, codeLengthMax),
    text: oneLine(sentence === '' ? error : sentence, textLengthMax),
  }
}

const codeLengthMax = 100
const textLengthMax = 500

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Creates the fault of a token endpoint that refuses a grant. */
export function refusedGrant(grant: TokenGrant, answer: HttpResponse, now: number): FaultError {
  const { status } = answer
  const { code, text } = readError(answer)
  const faultCode = faultCodeOf(status, code)
  const reason = text === '' ? `no token (HTTP status ${status})` : text
  return new FaultError({
    code: faultCode,
    stage: 'token',
    message: `${titleOf(grant)} ${grantMessages[faultCode]}: ${reason}`,
    hint: faultCode === 'credentials_refused' ? hintOf(grant, code) : grantHints[faultCode],
    reply: { protocol: 'http', code: status, enhancedCode: code === '' ? null : code, text },
    retryAfterMs: retryAfterMs(answer, now) ?? null,
  })
}

type GrantFaultCode = Extract<FaultCode, 'credentials_refused' | 'throttled' | 'server_fault'>

const grantMessages: Record<GrantFaultCode, string> = {
  credentials_refused: 'does not accept the credentials',
  throttled: 'issues no more tokens at the moment',
  server_fault: 'reports an internal error',
}

const grantHints: Record<Exclude<GrantFaultCode, 'credentials_refused'>, string> = {
  throttled: 'Try again later; another program may use the same application too often.',
  server_fault: "Try again later; look at the provider's status page.",
}

function faultCodeOf(status: number, error: string): GrantFaultCode {
  if (status === 429 || error === 'slow_down') return 'throttled'
  if (status >= 500 || status === 408 || error === 'temporarily_unavailable') return 'server_fault'
  return 'credentials_refused'
}

function hintOf(grant: TokenGrant, code: string): string {
  const ofGoogle = grant.issuer === 'google' ? googleHints[grant.type].get(code) : undefined
  return entraHints.get(code) ?? ofGoogle ?? generalHints[grant.type]
}

/** Creates the fault of an answer with the status 200 that holds no token. Such an answer is never quoted. */
export function noToken(grant: TokenGrant, { status }: HttpResponse, content: string): FaultError {
  return new FaultError({
    code: 'server_fault',
    stage: 'token',
    message: `${titleOf(grant)} gave ${content}: no token (HTTP status ${status}).`,
    hint: 'Check the token URL, and try again later.',
    reply: { protocol: 'http', code: status, enhancedCode: null, text: '' },
  })
}

/** Creates the fault of a request for a token that failed on this side. Nothing was sent. */
function ownFault(message: string, hint: string) {
  return (cause: unknown) =>
    new FaultError({ code: 'server_fault', stage: 'token', message, hint }, { cause })
}

export const tokenNotRead = ownFault(
  'The stored refresh token could not be read.',
  'Check the database of Mailyard.',
)

export const tokenNotStored = ownFault(
  'The refresh token was replaced, and the new one could not be stored.',
  'Check the database of Mailyard. The token is kept in memory and stored as soon as that is possible.',
)

/** A fault of ours, or of the answer. */
export const requestFailed = ownFault(
  'The access token could not be requested: the answer or the credentials cannot be used.',
  'Check the credentials and the token URL.',
)
