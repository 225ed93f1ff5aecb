import { AppError } from '../kit/app-error.ts'
import type { HttpRequest } from './http-app.ts'

/**
 * Whether a page of another site sent this request, by what only a browser sets. Another port is another site,
 * and so is an `Origin` of `null`, which pages have that hide where they are from. Programs set neither header.
 *
 * @see https://web.dev/articles/fetch-metadata
 */
export function isFromOtherSite({ headers, host }: Pick<HttpRequest, 'headers' | 'host'>): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && !isOriginOf(origin, host)
}

/** Whether a browser sent this request, as far as it says so. */
export function isFromBrowser({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['sec-fetch-site'] !== undefined
}

/** The scheme is not compared, nor its port: behind a proxy that ends TLS they are others. */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const theirs = new URL(origin)
  return /^https?:$/.test(theirs.protocol) && withoutPort(theirs.host) === withoutPort(host)
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '')
}

/** The refusal of a form or script of another site. */
export const otherSite = () =>
  new AppError(
    'forbidden',
    'other_site',
    'The request comes from a page of another site (Sec-Fetch-Site, Origin). Use an OAuth 2.0 bearer token there.',
  )
