import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Omnivery gives each domain its records, which only the account knows.
 * @see https://docs.omnivery.com/docs/sending/email
 */
export const omniveryDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'unknown' } },
  link: 'https://docs.omnivery.com/docs/sending/email',
  setUp: () => [],
}
