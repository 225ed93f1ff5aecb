import type { ApiTools } from '../../api/api-adapter.ts'
import { readJson, textOf } from '../../api/json.ts'
import { kindOf, refusalFault, retryAfterMs } from '../../api/refusal.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { FaultError } from '../../delivery/fault-error.ts'
import { Secret } from '../../secret.ts'

/** The credentials and the URL of a token request. */
interface TokenRequest {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: Secret
  readonly scope: string
}

/** Caches the access token of one application until it expires. */
export interface AccessToken {
  /**
   * Returns the token; fetches it when none is cached.
   * @throws {FaultError}
   */
  get(tools: ApiTools): Promise<Secret>
  /** Drops the token after it was refused, so that the next call fetches another. */
  forget(): void
  /** Masks the token in a text. */
  mask(text: string): string
}

const title = 'Microsoft Entra ID'
/** A token is not used in its last minutes, because requests take time and clocks differ. */
const marginMs = 5 * 60_000

/**
 * Creates the token cache of one application. It uses the client credentials flow.
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
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
          // The message that fetched the token was cancelled; this one fetches it again.
          if (isOwn || !isCancellation(error)) throw error
        }
      }
    },
    forget() {
      expiresAt = 0
    },
    mask: (text) => (token === undefined ? text : text.replaceAll(token.reveal(), String(token))),
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
  const response = await tools.fetch({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    hasSecretResponse: true,
  })
  const body = readJson(response)
  const token = textOf(body?.['access_token'])
  if (response.status !== 200 || token === '') throw notGranted(response, tools.now())
  const lifetimeMs = Number(body?.['expires_in'] ?? 0) * 1000
  return { token: new Secret(token), lifetimeMs: Number.isFinite(lifetimeMs) ? lifetimeMs : 0 }
}

/** Creates the fault of a refused token request. A response with a token is never quoted. */
function notGranted(response: HttpResponse, now: Date): FaultError {
  const body = response.status === 200 ? undefined : readJson(response)
  const error = textOf(body?.['error'])
  // Only the first line is a sentence; trace and correlation ids follow.
  const [sentence = ''] = textOf(body?.['error_description']).split(/\r?\n| Trace ID:/)
  const kind = kindOf(response.status)
  const fault = refusalFault(title, response, {
    isAccepted: false,
    text: sentence || error || `no token (HTTP status ${response.status})`,
    ...(error === '' ? {} : { code: error }),
    // The status for a wrong application, tenant or secret is 400 or 401.
    kind: kind === 'message' ? 'credentials' : kind,
  })
  return new FaultError({
    ...fault,
    ...(fault.code === 'credentials_refused' ? { hint: credentialsHint } : {}),
    retryAfterMs: retryAfterMs(response, now.getTime()) ?? null,
  })
}

const credentialsHint =
  'Check the application (client) id, the tenantId and the value (not the id) of its client secret, and whether the secret has expired.'
