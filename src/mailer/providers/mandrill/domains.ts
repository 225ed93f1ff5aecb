import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * For a domain that is not authenticated, Mailchimp Transactional replaces the domain in From. The selector
 * `mandrill` is that of older set-ups. The keys are the same for all accounts, so records do not show which account
 * verified the domain.
 * @see https://mailchimp.com/developer/transactional/docs/authentication-delivery/
 */
export const mandrillDomains: ProviderDomains = {
  selectors: [
    { name: 'mte1', target: /^dkim1\.mandrillapp\.com$/i },
    { name: 'mte2', target: /^dkim2\.mandrillapp\.com$/i },
    { name: 'mandrill' },
  ],
  isComplete: true,
  link: 'https://mailchimp.com/developer/transactional/docs/authentication-delivery/',
  setUp: (domain) => [
    { type: 'CNAME', name: `mte1._domainkey.${domain}`, value: 'dkim1.mandrillapp.com' },
    { type: 'CNAME', name: `mte2._domainkey.${domain}`, value: 'dkim2.mandrillapp.com' },
  ],
}
