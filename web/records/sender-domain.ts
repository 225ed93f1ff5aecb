import { asciiDomain } from '../../src/mailer/message/ascii-domain.ts'

/** The domain of an address, as the API writes it; undefined for a text that is none, such as one with a token. */
export function domainOf(address: string): string | undefined {
  const domain = /@([\p{L}\p{N}][^\s@{}<>]*\.[^\s@{}<>.]+)>?\s*$/u.exec(address)?.[1]
  return domain === undefined ? undefined : asciiDomain(domain)
}
