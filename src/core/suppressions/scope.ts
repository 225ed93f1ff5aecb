import { domainToASCII } from 'node:url'
import { emailKey } from '../../kit/normalize-for-search.ts'

/** Why no email is sent to an address, in the order of the documentation. */
export const suppressionReasons = ['unsubscribed', 'bounced', 'complained', 'manual'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** Returns the domain of an address as suppressions compare it: in lower case, as ASCII (RFC 5890). '' if there is none. */
export function domainOf(address: string): string {
  const at = address.lastIndexOf('@')
  return at === -1 ? '' : normalizeDomain(address.slice(at + 1))
}

/** Returns a domain as suppressions compare it. */
export function normalizeDomain(domain: string): string {
  const bare = domain.trim().replace(/\.$/, '').toLowerCase()
  // Most domains are ASCII, and parsing one takes far longer than the rest of a look-up.
  if (/^[a-z0-9.-]*$/.test(bare) && !bare.includes('xn--')) return bare
  return domainToASCII(bare) || bare
}

/** Returns the key of an address in one scope. A domain has no blanks, so no two scopes share a key. */
export function identityKey(address: string, senderDomain: string | null): string {
  return `${senderDomain ?? ''} ${emailKey(address)}`
}

/** The sender domain of a request as it is stored; null for every sender. */
export function scopeOf(senderDomain: string | null | undefined): string | null {
  return senderDomain?.trim() ? normalizeDomain(senderDomain) : null
}
