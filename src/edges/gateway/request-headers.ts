import { HttpError, type HttpRequest } from '../../platform/http/index.ts'
import type { Target } from './find-target.ts'

/** Headers of one connection, not of the message (RFC 9110, section 7.6.1). */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that only the gateway sets, those of Mailyard's origin, and those that would make Mautic see another request. */
const notForwarded: ReadonlySet<string> = new Set([
  ...hopByHop,
  'cookie',
  'cookie2',
  'expect',
  'host',
  'http2-settings',
  'proxy',
  'via',
])

/** Headers in which proxies and content delivery networks write the address, host and path that they were asked for. */
const writtenByProxies = new RegExp(
  [
    '^(?:x-)?(?:original|rewrite)(?=-|$)',
    '^x-(?:http-)?host(?=-|$)',
    // As in X-Original-Forwarded-For and X-Vercel-Proxied-For.
    '(?:^|-)(?:forwarded|proxied)(?=-|$)',
    // As in X-Real-IP, X-Azure-SocketIP and CloudFront-Viewer-Address.
    '(?:^|-)(?:client|socket|real|remote|source|user)?(?:ip(?:v\\d)?|addr(?:ess)?)$',
  ].join('|'),
)

export function hasBody({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Throws an HttpError for a request that is not forwarded: its length is not clear, or it asks for a WebSocket. Node itself
 * refuses several lengths.
 */
export function checkForwardable({ raw, headers }: HttpRequest): void {
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined) {
    if (headers['content-length'] !== undefined || raw.httpVersion === '1.0')
      throw new HttpError(400, 'The length of the body is ambiguous. Send Content-Length alone.')
    if (encoding.toLowerCase() !== 'chunked')
      throw new HttpError(501, 'Of Transfer-Encoding, only chunked is supported.')
  }
  if (/(?:^|,)\s*websocket\s*(?:,|$)/i.test(headers.upgrade ?? ''))
    throw new HttpError(501, 'WebSockets are not forwarded.')
}

/** Returns the headers of the request to Mautic: alternately names and values. Throws an HttpError for a second Host. */
export function requestHeaders(request: HttpRequest, target: Target): string[] {
  const { rawHeaders } = request.raw
  const connection = connectionTokens(request.headers.connection)
  const headers = forwardingHeaders(request, target)
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const lower = name.toLowerCase()
    if (lower === 'host') hosts += 1
    if (isDropped(lower) || connection?.has(lower) === true) continue
    headers.push(name, value)
  }
  if (hosts > 1) throw new HttpError(400, 'The header Host is there more than once.')
  return headers
}

/** PHP takes `X_Forwarded_For` for `X-Forwarded-For`, and some servers take any other character for a hyphen too. */
function isDropped(name: string): boolean {
  const read = name.replaceAll(/[^a-z\d]/g, '-')
  return notForwarded.has(read) || writtenByProxies.test(read)
}

/** The headers that belong to this connection by its own header; never those that frame the message. */
function connectionTokens(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined
  const tokens = new Set(connection.split(',').map((token) => token.trim().toLowerCase()))
  tokens.delete('content-length')
  return tokens
}

/**
 * Under a host name of the gateway, Mautic sees that name; under a prefix, its own. `X-Forwarded-For` has the client's
 * address alone: what the client itself wrote there is not true.
 */
function forwardingHeaders(request: HttpRequest, { mautic, prefix }: Target): string[] {
  const host = request.headers.host ?? ''
  const headers = {
    host: prefix === '' ? host : mautic.host,
    'x-forwarded-for': request.ip,
    'x-forwarded-host': prefix === '' ? host : request.host,
    'x-forwarded-proto': request.protocol,
    ...(prefix === '' ? {} : { 'x-forwarded-prefix': prefix }),
  }
  return Object.entries(headers).flat()
}
