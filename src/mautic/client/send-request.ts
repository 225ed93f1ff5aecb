import type { Dispatcher } from 'undici'
import { readLimited } from '../../kit/read-limited.ts'
import { OutboundError } from '../../mailer/index.ts'
import { MauticError } from './mautic-error.ts'

/** A request to a Mautic. */
export interface MauticRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string | undefined
  /** The time limit of everything: connection, request and answer. */
  timeoutMs: number
  /** How large the answer may be. */
  bytesMax: number
  signal?: AbortSignal | undefined
}

/** An answer of a Mautic, with any status. */
export interface MauticAnswer {
  status: number
  location: string | undefined
  body: string
}

/**
 * Sends a request; a redirect is an answer like any other.
 *
 * @throws {MauticError} `unreachable`, `blocked`, `timeout` or `unexpected`.
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  { url, timeoutMs, bytesMax, signal, ...request }: MauticRequest,
): Promise<MauticAnswer> {
  const { origin, pathname, search } = new URL(url)
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await dispatcher.request({
      origin,
      path: `${pathname}${search}`,
      method: request.method,
      headers: { accept: 'application/json', ...request.headers },
      body: request.body ?? null,
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    const body = await readLimited(answer.body, bytesMax)
    if (body === undefined) throw tooLarge(origin, bytesMax)
    const { location } = answer.headers
    return {
      status: answer.statusCode,
      location: typeof location === 'string' ? location : undefined,
      body,
    }
  } catch (error) {
    if (error instanceof MauticError) throw error
    if (signal?.aborted === true) throw error
    if (late.aborted) throw timedOut(origin, timeoutMs, error)
    throw unreachable(origin, error)
  }
}

function timedOut(origin: string, timeoutMs: number, cause: unknown): MauticError {
  const seconds = Math.max(1, Math.round(timeoutMs / 1_000))
  const detail = `${origin} did not answer within ${seconds} s.`
  return new MauticError('timeout', { detail, hint: 'Check that Mautic works.' }, cause)
}

function tooLarge(origin: string, bytesMax: number): MauticError {
  const detail = `The answer of ${origin} is larger than ${Math.round(bytesMax / 1_048_576)} MB.`
  return new MauticError('unexpected', { detail, hint: 'Check that url names a Mautic.' })
}

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Check the port, and that the web server of Mautic runs.',
  ENETUNREACH: 'Check the network of this machine.',
  EHOSTUNREACH: 'Check the network of this machine.',
  ECONNRESET: 'Check that the port speaks the protocol of the URL (http or https).',
  UND_ERR_CONNECT_TIMEOUT: 'Check the host, the port and the firewall.',
  UND_ERR_SOCKET: 'Check that Mautic works.',
}
const certificateCode = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** What to do about a certificate. Node trusts those of the authorities in NODE_EXTRA_CA_CERTS too. */
function certificateHint(code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a host name of the certificate in url.'
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate of Mautic.'
  return 'Name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS, and restart.'
}

function unreachable(origin: string, error: unknown): MauticError {
  if (error instanceof OutboundError) {
    const code = error.code === 'blocked' ? 'blocked' : 'unreachable'
    return new MauticError(code, { detail: error.message, hint: 'Check url.' }, error)
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  const detail = `The connection to ${origin} failed: ${code === '' ? message : code}.`
  const hint = certificateCode.test(code)
    ? certificateHint(code)
    : (hints[code] ?? 'Check url, and that Mautic works.')
  return new MauticError('unreachable', { detail, hint }, error)
}
