import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Sweego gives each client a CNAME of its own for DKIM, and a subdomain for SPF and bounces.
 * @see https://learn.sweego.io/docs/
 */
export const sweegoDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'custom', records: [], isComplete: false } },
  link: 'https://learn.sweego.io/docs/',
  setUp: () => [],
}
