import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * An account may have other selectors of three characters. It sends from a verified single sender of any domain, too,
 * without a signature of that domain.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/domain-authentication/authenticate-a-domain
 */
export const sendgridDomains: ProviderDomains = {
  selectors: ['s1', 's2'].map((name) => ({
    name,
    target: new RegExp(`^${name}\\.(_?domainkey)\\.u\\d+\\.wl\\d*\\.(eu\\.)?sendgrid\\.net$`, 'i'),
  })),
  link: 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication',
}
