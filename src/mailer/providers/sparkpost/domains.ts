import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * SparkPost chooses the selector of each domain. A domain can be verified without DKIM. The envelope sender is one of
 * SparkPost, unless the account has a bounce domain.
 * @see https://developers.sparkpost.com/api/sending-domains/
 */
export const sparkpostDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: { includes: [], envelope: { type: 'custom', records: [], isComplete: false } },
  link: 'https://developers.sparkpost.com/api/sending-domains/',
  setUp: () => [],
}
