import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Scaleway gives each domain its DKIM record, which only the account knows.
 * @see https://www.scaleway.com/en/docs/transactional-email/how-to/authenticate-domain/
 */
export const scalewayDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: ['_spf.tem.scaleway.com'], envelope: { type: 'unknown' } },
  link: 'https://www.scaleway.com/en/docs/transactional-email/how-to/authenticate-domain/',
  setUp: () => [],
}
