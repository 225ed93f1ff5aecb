import { isLoopback } from '../../kit/network-of.ts'
import type { HttpRequest } from './http-app.ts'

/** Headers by which a reverse proxy names its client or itself. */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
] as const

/** A Host header that a browser sends only for this machine, whatever names resolve to. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * Whether the client of a request is on this machine. A request through a reverse proxy counts by the addresses of
 * `X-Forwarded-For` if the proxy is trusted. Otherwise its client is unknown, and it is not local.
 */
export function isLocalRequest({ headers, ip, ips }: HttpRequest): boolean {
  const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined)
  if (!isForwarded) return isLoopback(ip) && loopbackHost.test(headers.host ?? '')
  // Fastify lists only the addresses of the header that a trusted proxy has added.
  return ips !== undefined && ips.length > 1 && ips.every(isLoopback)
}
