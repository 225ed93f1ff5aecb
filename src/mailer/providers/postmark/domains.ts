import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Postmark names the selector of a domain after a date. It sends from a confirmed address of any domain, too, without a
 * signature of that domain. The return path may have another name.
 * @see https://postmarkapp.com/developer/api/domains-api
 */
export const postmarkDomains: ProviderDomains = {
  returnPaths: [{ name: 'pm-bounces', type: 'CNAME', target: /^pm\.mtasv\.net$/i }],
  link: 'https://postmarkapp.com/developer/api/domains-api',
  setUp: (domain) => [{ type: 'CNAME', name: `pm-bounces.${domain}`, value: 'pm.mtasv.net' }],
}
