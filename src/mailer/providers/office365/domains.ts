import type { ProviderDomains } from '../../domains/provider-domains.ts'

const target =
  /^selector[12]-[a-z0-9-]+\._domainkey\.[a-z0-9.-]+\.(onmicrosoft\.(com|us)|onmschina\.cn|dkim\.mail\.microsoft)$/i

/**
 * Exchange Online signs for the tenant (`tenant.onmicrosoft.com`, with another selector) until an administrator turns
 * DKIM on for the domain, which DNS does not show. The targets of the CNAMEs have two forms.
 * @see https://learn.microsoft.com/defender-office-365/email-authentication-dkim-configure
 */
export const microsoft365Domains: ProviderDomains = {
  selectors: [
    { name: 'selector1', target },
    { name: 'selector2', target },
  ],
  include: 'spf.protection.outlook.com',
  link: 'https://learn.microsoft.com/defender-office-365/email-authentication-dkim-configure',
}
