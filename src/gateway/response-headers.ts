import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../http/index.ts'
import { rewriteSetCookie } from './cookies.ts'
import type { Target } from './find-target.ts'
import { hopByHop } from './request-headers.ts'

/** What Mautic's server says of its own ports and connections. */
const notForwarded: ReadonlySet<string> = new Set([...hopByHop, 'alt-svc'])

/** Headers that apply to a whole origin. Under a prefix, it is the console's. */
const ofOrigin: ReadonlySet<string> = new Set([
  'clear-site-data',
  'nel',
  'origin-agent-cluster',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
])

/** Keeps a browser from rendering an answer as a page of the console's origin. */
const prefixedHeaders = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Returns the headers of the answer to the client. */
export function responseHeaders(
  received: IncomingHttpHeaders,
  request: HttpRequest,
  target: Target,
): OutgoingHttpHeaders {
  const { connection } = received
  const tokens = connection?.toLowerCase().split(/\s*,\s*/) ?? []
  const headers: OutgoingHttpHeaders = {}
  for (const name of Object.keys(received)) {
    if (notForwarded.has(name) || tokens.includes(name)) continue
    if (target.prefix !== '' && ofOrigin.has(name)) continue
    headers[name] = received[name]
  }
  // The end of a chunked body is not where Content-Length says.
  if (received['transfer-encoding'] !== undefined) delete headers['content-length']
  rewriteAddresses(headers, request, target)
  if (target.prefix !== '') Object.assign(headers, prefixedHeaders)
  headers['x-request-id'] ??= request.id
  return headers
}

function rewriteAddresses(
  headers: OutgoingHttpHeaders,
  request: HttpRequest,
  target: Target,
): void {
  const { location, 'content-location': contentLocation, 'set-cookie': cookies } = headers
  if (typeof location === 'string') headers['location'] = rewriteAddress(location, request, target)
  if (typeof contentLocation === 'string')
    headers['content-location'] = rewriteAddress(contentLocation, request, target)
  if (cookies === undefined) return
  const { basePath, hostname } = target.mautic
  const scope = { prefix: target.prefix, basePath, hostname }
  const rewritten = [cookies].flat().flatMap((each) => rewriteSetCookie(String(each), scope) ?? [])
  if (rewritten.length > 0) headers['set-cookie'] = rewritten
  else delete headers['set-cookie']
}

/**
 * Rewrites an address that names Mautic as Mailyard reaches it to one that the client reaches. Other addresses stay: those
 * that Mautic made of `X-Forwarded-*` are right already.
 */
export function rewriteAddress(
  address: string,
  { protocol, host }: Pick<HttpRequest, 'protocol' | 'host'>,
  { mautic, prefix }: Pick<Target, 'mautic' | 'prefix'>,
): string {
  const { origin, basePath } = mautic
  const isPath = address.startsWith('/') && !address.startsWith('//')
  if (isPath && prefix === basePath) return address
  if (!isPath && !isAt(address, mautic.host)) return address
  const { pathname, search, hash } = new URL(address, origin)
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`)
  const isRewritten = prefix !== '' && (pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (!isBelow || isRewritten) return address
  const path = `${prefix}${pathname.slice(basePath.length)}${search}${hash}`
  return isPath ? path : `${protocol}://${host}${path}`
}

/** Whether an address has the host and port of a URL. Behind a proxy, Mautic may write the other scheme. */
function isAt(address: string, host: string): boolean {
  const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, 'http://x') : null
  return url?.host === host
}
