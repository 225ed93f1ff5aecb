/** The most octets of a name in DNS, written with dots. */
const nameLengthMax = 253

/** The most characters that are read of a text, before it is converted. */
const textLengthMax = 1_000

// Underscores stand in names of records, and in some names of hosts.
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const namePattern = new RegExp(`^${label}(?:\\.${label})*$`)

/** What a URL would decode, leave out, or take for the end of a name. */
const noName = /[%\s\p{Cc}/:?#[\]\\@]/u

/**
 * Converts a domain as people write it to the form in DNS: A-labels (RFC 5890), lower case, no dot at the end.
 * @returns Undefined where the text is not a domain name, but an IP address for example.
 * @example
 * ```ts
 * asciiDomain('Bücher.example.') // 'xn--bcher-kva.example'
 * asciiDomain('192.0.2.1') // undefined
 * ```
 */
export function asciiDomain(text: string): string | undefined {
  if (text.length > textLengthMax) return undefined
  const name = text.replace(/\.$/, '')
  // A URL would rewrite an ASCII name such as 0x7f.1.
  const ascii = /^[\x20-\x7e]*$/.test(name) ? name.toLowerCase() : hostOf(name)
  return isDomainName(ascii) ? ascii : undefined
}

function hostOf(name: string): string {
  const url = noName.test(name) ? null : URL.parse(`http://${name}`)
  return url?.hostname ?? ''
}

/** Whether a text is a domain name in lower-case ASCII without a dot at the end. */
function isDomainName(text: string): boolean {
  return text.length <= nameLengthMax && namePattern.test(text) && !/(?:^|\.)\d+$/.test(text)
}
