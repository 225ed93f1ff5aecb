import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * MailerSend has had several selectors, which lead to its own keys. It sends from a verified address of another domain,
 * too, without a signature of that domain. The return path may have another name.
 * @see https://www.mailersend.com/help/send-email-on-behalf-of-clients
 */
export const mailersendDomains: ProviderDomains = {
  selectors: [
    { name: 'mlsend', target: /^mlsend\._domainkey\.mailersend\.net$/i },
    { name: 'mlsend2', target: /^mlsend2\._domainkey\.mailersend\.net$/i },
  ],
  returnPaths: [{ name: 'mta', type: 'CNAME', target: /^mailersend\.net$/i }],
  link: 'https://www.mailersend.com/help/send-email-on-behalf-of-clients',
}
