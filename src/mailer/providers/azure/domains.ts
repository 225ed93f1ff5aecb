import type { ProviderDomains } from '../../domains/provider-domains.ts'

const selectors = ['selector1-azurecomm-prod-net', 'selector2-azurecomm-prod-net']

function targetOf(selector: string): RegExp {
  return new RegExp(`^${selector}\\._domainkey\\.azurecomm\\.net$`, 'i')
}

/**
 * Azure connects a domain to a resource after all of its records were verified, and sends from connected domains
 * only. Domains that Azure manages itself may have other selectors. Its documents do not say which envelope sender it
 * uses.
 * @see https://learn.microsoft.com/azure/communication-services/quickstarts/email/add-custom-verified-domains
 */
export const azureDomains: ProviderDomains = {
  selectors: selectors.map((name) => ({ name, target: targetOf(name) })),
  include: 'spf.protection.outlook.com',
  link: 'https://learn.microsoft.com/azure/communication-services/quickstarts/email/add-custom-verified-domains',
  setUp: (domain) =>
    selectors.map((name) => ({
      type: 'CNAME',
      name: `${name}._domainkey.${domain}`,
      value: `${name}._domainkey.azurecomm.net`,
    })),
}
