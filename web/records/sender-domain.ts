import { asciiDomain } from '../../src/libraries/mailer/message/ascii-domain.ts'
import { withQuery } from '../lib/api.ts'

/** The domain of an address, as the API writes it; undefined for a text that is none, such as one with a token. */
export function domainOf(address: string): string | undefined {
  const domain = /@([\p{L}\p{N}][^\s@{}<>]*\.[^\s@{}<>.]+)>?\s*$/u.exec(address)?.[1]
  return domain === undefined ? undefined : asciiDomain(domain)
}

/**
 * The path of the screen of a From domain.
 * @param transport The id of a transport that the screen shows even if it does not send the domain; 0: the default.
 */
export function senderHref(domain: string, transport?: number): string {
  return withQuery(`/senders/${encodeURIComponent(domain)}`, { transport })
}
