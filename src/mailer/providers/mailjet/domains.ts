import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Mailjet sends from a validated address of any domain, too, without a signature of that domain. The envelope sender
 * is one of Mailjet, unless the account has a return path of its own.
 * @see https://documentation.mailjet.com/hc/en-us/articles/360042412734-Authenticating-Domains-with-SPF-DKIM
 */
export const mailjetDomains: ProviderDomains = {
  selectors: [{ name: 'mailjet' }],
  isComplete: true,
  returnPaths: [{ name: 'bnc3', type: 'CNAME', target: /^bnc3\.mailjet\.com$/i }],
  link: 'https://documentation.mailjet.com/hc/en-us/articles/360042412734-Authenticating-Domains-with-SPF-DKIM',
}
