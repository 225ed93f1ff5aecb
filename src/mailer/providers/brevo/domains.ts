import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * The key of older set-ups is at `mail`. The envelope sender is one of Brevo, unless the account has an IP address.
 * @see https://developers.brevo.com/docs/domain-authentication-and-verification
 */
export const brevoDomains: ProviderDomains = {
  selectors: [
    { name: 'brevo1', target: /^b1\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
    { name: 'brevo2', target: /^b2\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
    { name: 'mail' },
  ],
  isComplete: true,
  link: 'https://developers.brevo.com/docs/domain-authentication-and-verification',
}
