import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Infobip gives each domain its records, which only the account knows.
 * @see https://www.infobip.com/docs/email
 */
export const infobipDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'unknown' } },
  link: 'https://www.infobip.com/docs/email',
  setUp: () => [],
}
