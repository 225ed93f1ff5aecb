import type { ProviderDomains } from '../../domains/provider-domains.ts'

/**
 * Google signs for a domain of Google Workspace once its administrator turned that on; the selector can be changed.
 * For an alias of another domain it may sign for the domain of the account, and use the account's address as envelope
 * sender.
 * @see https://support.google.com/a/answer/174124
 */
export const gmailDomains: ProviderDomains = {
  selectors: [{ name: 'google' }],
  include: '_spf.google.com',
  link: 'https://support.google.com/a/answer/174124',
}
