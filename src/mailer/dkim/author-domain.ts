import { asciiDomain } from '../message/ascii-domain.ts'
import { readAddresses } from '../message/headers.ts'
import { isMailAddress } from '../message/message.ts'
import { type HeaderLine, unfoldedValue } from './header-section.ts'

/** The longest From that is read: a parser of addresses needs seconds for a megabyte. */
const fromLengthMax = 4_096

/**
 * Returns the domain of a message's authors, in ASCII and in lower case; undefined unless there is exactly one From, all
 * of its addresses can be read, and they have the same domain.
 * @see RFC 9989, section 4.2 (the Author Domain)
 */
export function authorDomain(fields: readonly HeaderLine[]): string | undefined {
  const [from, ...others] = fields.filter(({ name }) => name === 'from')
  if (from === undefined || others.length > 0 || from.line.length > fromLengthMax) return undefined
  const value = Buffer.from(unfoldedValue(from), 'latin1').toString('utf8')
  const domains = new Set(readAddresses(value).map(domainOf))
  const [domain] = domains
  return domains.size === 1 ? domain : undefined
}

function domainOf(address: string): string | undefined {
  return isMailAddress(address)
    ? asciiDomain(address.slice(address.lastIndexOf('@') + 1))
    : undefined
}
