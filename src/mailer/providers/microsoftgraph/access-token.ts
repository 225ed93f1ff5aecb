import type { ApiTools } from '../../api/api-adapter.ts'
import { readJson, textOf } from '../../api/json.ts'
import { kindOf, refusalFault } from '../../api/refusal-fault.ts'
import { retryAfterMs } from '../../api/retry-after.ts'
import { FaultError } from '../../delivery/fault-error.ts'
import type { HttpAnswer } from '../../http/http-exchange.ts'
import { Secret } from '../../secret.ts'

/** Who asks for a token, and where. */
export interface TokenRequest {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: Secret
  readonly scope: string
}

/** Keeps the access token of one application for as long as it is good. */
export interface AccessToken {
  /** The token, fetched where there is none. Throws FaultError. */
  get(tools: ApiTools): Promise<Secret>
  /** The token was not accepted: the next one is fetched. */
  forget(): void
  /** Takes the token out of a text that repeats it. */
  blank(text: string): string
}

const title = 'Microsoft Entra ID'
/** A token is not used in its last minutes: a request takes its time, and clocks differ. */
const marginMs = 5 * 60_000

/**
 * Opens the cache of one application's token. The client credentials flow:
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export function createAccessToken(request: TokenRequest): AccessToken {
  let token: Secret | undefined
  let expiresAt = 0
  let pending: Promise<Secret> | undefined
  const fetchOnce = async (tools: ApiTools) => {
    const askedAt = tools.now().getTime()
    try {
      const fresh = await fetchToken(request, tools)
      token = fresh.token
      expiresAt = askedAt + fresh.lifetimeMs - marginMs
      return token
    } finally {
      pending = undefined
    }
  }
  return {
    async get(tools) {
      for (;;) {
        if (token !== undefined && tools.now().getTime() < expiresAt) return token
        const isOwn = pending === undefined
        pending ??= fetchOnce(tools)
        try {
          return await pending
        } catch (error) {
          // Another message was cancelled while it fetched for this one, too.
          if (isOwn || !isCancellation(error)) throw error
        }
      }
    },
    forget() {
      expiresAt = 0
    },
    blank: (text) => (token === undefined ? text : text.replaceAll(token.reveal(), String(token))),
  }
}

function isCancellation(error: unknown): boolean {
  return error instanceof FaultError && error.fault.code === 'cancelled'
}

async function fetchToken({ url, clientId, clientSecret, scope }: TokenRequest, tools: ApiTools) {
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret.reveal(),
    scope,
    grant_type: 'client_credentials',
  })
  const answer = await tools.fetch({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    hasSecretAnswer: true,
  })
  const body = readJson(answer)
  const token = textOf(body?.['access_token'])
  if (answer.status !== 200 || token === '') throw notGranted(answer, tools.now())
  const lifetimeMs = Number(body?.['expires_in'] ?? 0) * 1000
  return { token: new Secret(token), lifetimeMs: Number.isFinite(lifetimeMs) ? lifetimeMs : 0 }
}

/** An answer that holds a token is quoted nowhere. */
function notGranted(answer: HttpAnswer, now: Date): FaultError {
  const body = answer.status === 200 ? undefined : readJson(answer)
  const error = textOf(body?.['error'])
  // The first line is the sentence; trace and correlation ids follow.
  const [sentence = ''] = textOf(body?.['error_description']).split(/\r?\n| Trace ID:/)
  const kind = kindOf(answer.status)
  const fault = refusalFault(title, answer, {
    isAccepted: false,
    text: sentence || error || `no token (HTTP status ${answer.status})`,
    ...(error === '' ? {} : { code: error }),
    // A wrong application, tenant or secret has a status of 400 or 401.
    kind: kind === 'message' ? 'credentials' : kind,
  })
  return new FaultError({
    ...fault,
    ...(fault.code === 'credentials_refused' ? { hint: credentialsHint } : {}),
    retryAfterMs: retryAfterMs(answer, now.getTime()) ?? null,
  })
}

const credentialsHint =
  'Check the application (client) id, the tenantId and the value (not the id) of its client secret, and whether the secret has expired.'
