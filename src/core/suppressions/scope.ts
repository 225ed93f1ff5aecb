import { domainToASCII } from 'node:url'
import { noBrand } from '../../kit/caller.ts'
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

/** Which messages a suppression stops: those of a brand, those from a domain, or all. */
export interface SuppressionScope {
  /** `noBrand` for all. */
  brand: number
  /** Null for all. */
  senderDomain: string | null
}

/** Returns a scope as an input has it. */
export function inputOf({ brand, senderDomain }: SuppressionScope) {
  return { brand: brand === noBrand ? null : brand, senderDomain }
}

/** Returns the key of an address in one scope. A domain has neither blanks nor `@`, so no two scopes share a key. */
export function identityKey(address: string, { brand, senderDomain }: SuppressionScope): string {
  const ofBrand = brand === noBrand ? '' : `@${brand}`
  return `${ofBrand}${senderDomain ?? ''} ${emailKey(address)}`
}

/** What is wrong with a scope that names both. */
export const twoScopes =
  'must be null where the suppression has a brand: it stops the messages of the brand, from whatever domain'

/** The sender domain of a request as it is stored; null for every sender. */
export function scopeOf(senderDomain: string | null | undefined): string | null {
  return senderDomain?.trim() ? normalizeDomain(senderDomain) : null
}
