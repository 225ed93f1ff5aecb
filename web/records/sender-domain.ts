/** Delimiters of a URL, which would end its host, and what the API does not take for a domain. */
const noDomain = /[%\s\p{Cc}/:?#[\]\\@]/u

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const domainName = new RegExp(`^${label}(?:\\.${label})*$`)

/** The domain of an address, as the API writes it; undefined for a text that is none, such as one with a token. */
export function domainOf(address: string): string | undefined {
  const domain = /@([\p{L}\p{N}][^\s@{}<>]*\.[^\s@{}<>.]+)>?\s*$/u.exec(address)?.[1]
  return domain === undefined ? undefined : asciiDomain(domain)
}

/** Converts a domain to its form in DNS, `xn--bcher-kva.example`, in lower case; undefined for what is none, such as an IP address. */
export function asciiDomain(text: string): string | undefined {
  const ascii = toAscii(text.replace(/\.$/, ''))
  const isDomain = ascii.length <= 253 && domainName.test(ascii) && !/(?:^|\.)\d+$/.test(ascii)
  return isDomain ? ascii : undefined
}

function toAscii(name: string): string {
  // A URL would rewrite an ASCII name that looks like a number, such as 0x7f.1.
  if (/^[\x21-\x7e]*$/.test(name)) return name.toLowerCase()
  const isHost = !noDomain.test(name) && URL.canParse(`http://${name}`)
  return isHost ? new URL(`http://${name}`).hostname : ''
}
