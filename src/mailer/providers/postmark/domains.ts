import type { ProviderDomains } from '../../domains/provider-domains.ts'
import { unknownState } from '../domain-question.ts'

/**
 * Postmark names the selector of a domain after a date. It sends from a confirmed address of any domain, too, without a
 * signature of that domain. The return path may have another name.
 * @see https://postmarkapp.com/developer/api/domains-api
 */
export const postmarkDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: {
    includes: ['spf.mtasv.net'],
    envelope: {
      type: 'custom',
      records: [{ name: 'pm-bounces', type: 'CNAME', target: /^pm\.mtasv\.net$/i }],
      isComplete: false,
    },
  },
  link: 'https://postmarkapp.com/developer/api/domains-api',
  setUp: (domain) => [{ type: 'CNAME', name: `pm-bounces.${domain}`, value: 'pm.mtasv.net' }],
  ask: async () =>
    unknownState(
      'Postmark tells the state of a domain to an account API token only, and the DSN has the token of a server. Look at "Sender Signatures" in Postmark, or verify a received message.',
    ),
}
