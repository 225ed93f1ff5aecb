import type { ProviderDomains } from '../../domains/provider-domains.ts'

/** @see https://resend.com/docs/knowledge-base/403-error-domain-mismatch */
export const resendDomains: ProviderDomains = {
  selectors: [{ name: 'resend' }],
  isComplete: true,
  returnPaths: [
    { name: 'send', type: 'MX', target: /^feedback-smtp\.[a-z0-9-]+\.amazonses\.com$/i },
  ],
  link: 'https://resend.com/docs/dashboard/domains/introduction',
}
