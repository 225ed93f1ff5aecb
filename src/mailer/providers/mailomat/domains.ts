import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Mailomat gives each domain its records, which only the account knows.
 * @see https://mailomat.swiss/docs
 */
export const mailomatDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'unknown' } },
  link: 'https://mailomat.swiss/docs',
  setUp: () => [],
}
