import { domainToASCII } from 'node:url'

/** The most octets of a name in DNS, written with dots. */
const nameLengthMax = 253

/** The most characters that are read of a name from a user, before it is converted. */
const textLengthMax = 1_000

// Underscores stand in names of records, and in some names of hosts.
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const namePattern = new RegExp(`^${label}(?:\\.${label})*$`)

/** Whether a text is a domain name in lower-case ASCII without a dot at the end. IP addresses are not. */
export function isDomainName(text: string): boolean {
  return text.length <= nameLengthMax && namePattern.test(text) && !/(?:^|\.)\d+$/.test(text)
}

/**
 * Converts a domain as people write it to the form in DNS: A-labels (RFC 5890), lower case, no dot at the end.
 * @returns Undefined where the text is not a domain name.
 */
export function asciiDomain(text: string): string | undefined {
  if (text.length > textLengthMax) return undefined
  const name = text.replace(/\.$/, '')
  // domainToASCII would rewrite an ASCII name such as 0x7f.1, and decode percent signs.
  const isAscii = /^[\x20-\x7e]*$/.test(name)
  const ascii = isAscii ? name.toLowerCase() : /[%\s\p{Cc}]/u.test(name) ? '' : domainToASCII(name)
  return isDomainName(ascii) ? ascii : undefined
}

/**
 * Whether a name can be asked for: names of look-ups also have characters that no host has (RFC 2181, section 11). Dots
 * separate labels of 1 to 63 characters.
 */
export function isQueryName(text: string): boolean {
  return /^[!#-\-/-[\]-~]{1,63}(?:\.[!#-\-/-[\]-~]{1,63})*$/.test(text)
}

/** Whether a name has more octets than a name in DNS can have. */
export function isTooLong(name: string): boolean {
  return name.length > nameLengthMax
}
