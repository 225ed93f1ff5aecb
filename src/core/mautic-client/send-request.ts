import {
  type HttpResponse,
  type OutboundClient,
  OutboundError,
} from '../../libraries/mailer/index.ts'
import { MauticError, type MauticErrorCode } from './mautic-error.ts'

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

/**
 * Sends a request; a redirect is an answer like any other.
 *
 * @throws {MauticError} `unreachable`, `blocked`, `timeout` or `unexpected`.
 */
export async function sendRequest(
  http: OutboundClient,
  { method, url, headers, body = '', timeoutMs, bytesMax, signal }: MauticRequest,
): Promise<HttpResponse> {
  const request = { method, url, headers: { accept: 'application/json', ...headers }, body }
  try {
    return await http.send(request, { timeoutMs, bytesMax, signal })
  } catch (error) {
    throw error instanceof OutboundError ? toMauticError(error) : error
  }
}

const codes: Readonly<Record<OutboundError['code'], MauticErrorCode>> = {
  not_found: 'unreachable',
  lookup_failed: 'unreachable',
  blocked: 'blocked',
  unreachable: 'unreachable',
  timeout: 'timeout',
  answer_too_large: 'unexpected',
}

function toMauticError(error: OutboundError): MauticError {
  const { code, message, detail, hint } = error
  const isOfUrl = ['not_found', 'lookup_failed', 'blocked'].includes(code)
  const words = isOfUrl ? { detail: message, hint: 'Check url.' } : { detail, hint }
  return new MauticError(codes[code], words, error)
}
