import type { ProviderDomains } from '../../domains/provider-domains.ts'

const selectors = ['rwmt1', 'rwmt2']

function targetOf(selector: string): RegExp {
  return new RegExp(`^${selector}\\.dkim\\.smtp\\.mailtrap\\.live$`, 'i')
}

/**
 * Mailtrap sends from a domain after all of its records were verified. The return path has a name of the account.
 * @see https://docs.mailtrap.io/email-api-smtp/setup/sending-domain
 */
export const mailtrapDomains: ProviderDomains = {
  selectors: selectors.map((name) => ({ name, target: targetOf(name) })),
  isComplete: true,
  link: 'https://docs.mailtrap.io/email-api-smtp/setup/sending-domain',
  setUp: (domain) =>
    selectors.map((name) => ({
      type: 'CNAME',
      name: `${name}._domainkey.${domain}`,
      value: `${name}.dkim.smtp.mailtrap.live`,
    })),
}
