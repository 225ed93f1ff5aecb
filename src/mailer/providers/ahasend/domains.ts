import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * AhaSend signs with two keys of each domain, as TXT records or as CNAMEs to its own. Domains whose DNS it manages
 * have another selector. The return path can have another name, too.
 * @see https://ahasend.com/docs
 */
export const ahasendDomains: ProviderDomains = {
  selectors: [{ name: 'ahasend' }, { name: 'ahasend2' }],
  returnPaths: [{ name: 'psrp', type: 'CNAME', target: /^(rp|[a-z0-9]+\.setup)\.ahasend\.com$/i }],
  link: 'https://ahasend.com/docs',
}
