import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Postal creates a selector for each domain, and each server has its own return path and SPF record.
 * @see https://docs.postalserver.io/getting-started/dns-configuration
 */
export const postalDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'custom', records: [], isComplete: false } },
  link: 'https://docs.postalserver.io/getting-started/dns-configuration',
  setUp: () => [],
}
