import type { IncomingMessage } from 'node:http'
import { HttpRefusal } from './http-refusal.ts'

const overridden = new Set(['PUT', 'PATCH', 'DELETE'])

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/**
 * Reads the method and the path that a request means, before it is routed; returns the path. A POST may
 * name another method in `X-HTTP-Method-Override`, as Mautic's clients may, and the path may be written
 * with scheme and host before it (RFC 9112, section 3.2.2).
 */
export function readRequestLine(head: Head): string {
  const { method, headers, url = '/' } = head
  const other = method === 'POST' ? headers['x-http-method-override'] : undefined
  if (typeof other === 'string' && overridden.has(other.toUpperCase())) {
    head.method = other.toUpperCase()
  }
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '') || '/'
}

/** A request of HTTP/1.1 must name a host (RFC 9112, section 3.2), whoever it is that answers. */
export function findHostFault(head: Pick<IncomingMessage, 'headers' | 'httpVersion'>) {
  if (head.headers.host !== undefined || head.httpVersion !== '1.1') return undefined
  return new HttpRefusal(400, 'The request names no Host, which HTTP/1.1 asks for.')
}
