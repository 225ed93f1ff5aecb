import { AppError } from '../../kit/app-error.ts'
import type { HttpRequest } from './http-app.ts'

/**
 * Whether a page of another site sent this request, by the headers that browsers set and programs do not. Another port is
 * another site, and so is `Origin: null`, which sandboxed pages send.
 *
 * @see https://web.dev/articles/fetch-metadata
 */
export function isFromOtherSite({ headers, host }: Pick<HttpRequest, 'headers' | 'host'>): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && !isOriginOf(origin, host)
}

/** Whether a browser sent this request, according to its headers. */
export function isFromBrowser({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['sec-fetch-site'] !== undefined
}

/** Ignores the scheme and its default port: they differ behind a proxy that terminates TLS. */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  return /^https?:$/.test(protocol) && withoutPort(originHost) === withoutPort(host)
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '')
}

/** The error for a request that a page of another site sent. */
export const otherSite = () =>
  new AppError(
    'forbidden',
    'other_site',
    'The request comes from a page of another site (Sec-Fetch-Site, Origin). Use an OAuth 2.0 bearer token there.',
  )
