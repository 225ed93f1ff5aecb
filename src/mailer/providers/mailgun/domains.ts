import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Mailgun signs for the domain of the DSN, or for its parent domain if that is its DKIM authority, whatever the From
 * domain is. The selector can be chosen. Unless the domain is verified, Mailgun sends on behalf of a domain of its own.
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify
 */
export const mailgunDomains: ProviderDomains = {
  selectors: ['smtp', 'mx', 'k1', 'pic', 'mailo', 'krs', 'email'].map((name) => ({ name })),
  include: 'mailgun.org',
  link: 'https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify',
}
