import { type IncomingHttpHeaders, type OutgoingHttpHeaders, validateHeaderValue } from 'node:http'
import { type HttpRequest, isFromBrowser } from '../../platform/http/index.ts'
import { isForwarded, type Target } from './find-target.ts'
import { hopByHop } from './request-headers.ts'

/**
 * The standard headers that an answer of an API needs. All others apply to a browser, a shared cache or a whole origin,
 * such as `Set-Cookie`, `Access-Control-Allow-Origin`, `Link`, `Refresh` and `Clear-Site-Data`: that origin is Mailyard's.
 */
const forwarded: ReadonlySet<string> = new Set([
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'sunset',
  'vary',
  'warning',
])

/** Headers by which a server makes a proxy before Mailyard send a file, send another page, or cache the answer. */
const readByProxies =
  /^x-(?:accel|lighttpd|litespeed|reproxy|sendfile|send-file)(?=-|$)|cache-control$/

/** Keeps browsers from rendering an answer as a page of Mailyard's origin, and caches from storing it. */
const ownHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/**
 * Returns the headers of the answer to the client.
 *
 * @throws {TypeError} where Node would refuse to send one of them.
 */
export function responseHeaders(
  received: IncomingHttpHeaders,
  request: HttpRequest,
  target: Target,
): OutgoingHttpHeaders {
  const ofConnection = String(received.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const headers: OutgoingHttpHeaders = Object.create(null)
  for (const [name, value = ''] of Object.entries(received)) {
    if (!isKept(name, request) || ofConnection.includes(name)) continue
    for (const each of [value].flat()) validateHeaderValue(name, each)
    headers[name] = value
  }
  // The end of a chunked body is not where Content-Length says.
  if (received['transfer-encoding'] !== undefined) delete headers['content-length']
  for (const name of ['location', 'content-location']) {
    const [address, second] = [headers[name] ?? []].flat()
    if (second !== undefined) throw new TypeError(`Mautic answered with several headers ${name}.`)
    if (address !== undefined) headers[name] = rewriteAddress(String(address), request, target)
  }
  Object.assign(headers, ownHeaders)
  headers['x-request-id'] ??= request.id
  return headers
}

function isKept(name: string, request: HttpRequest): boolean {
  if (hopByHop.has(name)) return false
  // A browser would ask for a password, and then send it to Mailyard with each request.
  if (name === 'www-authenticate') return !isFromBrowser(request)
  return forwarded.has(name) || (name.startsWith('x-') && !readByProxies.test(name))
}

/**
 * Rewrites an address that names Mautic as Mailyard reaches it: to one of the gateway for what is served there, else to
 * Mautic's own. Other addresses stay: those that Mautic made of `X-Forwarded-*` are right already.
 */
export function rewriteAddress(
  address: string,
  { protocol, host }: Pick<HttpRequest, 'protocol' | 'host'>,
  { mautic, prefix }: Pick<Target, 'mautic' | 'prefix'>,
): string {
  const { origin, basePath } = mautic
  const isPath = /^\/(?![/\\])/.test(address)
  const url = isPath || isAt(address, mautic.host) ? URL.parse(address, origin) : null
  if (url === null) return address
  const { pathname, search, hash } = url
  const isRewritten = prefix !== '' && (pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (isRewritten) return address
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`)
  const pathInMautic = isBelow ? pathname.slice(basePath.length) : ''
  if (!isForwarded(pathInMautic)) return origin + pathname + search + hash
  const path = prefix + pathInMautic + search + hash
  return isPath ? path : `${protocol}://${host}${path}`
}

/** Whether an address has the host and port of a URL. Behind a proxy, Mautic may write the other scheme. */
function isAt(address: string, host: string): boolean {
  const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, 'http://x') : null
  return url?.host === host
}
