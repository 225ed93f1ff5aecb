import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * MailPace gives each domain its records, which only the account knows.
 * @see https://docs.mailpace.com/
 */
export const mailpaceDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'unknown' } },
  link: 'https://docs.mailpace.com/',
  setUp: () => [],
}
