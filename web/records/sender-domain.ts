/** Delimiters of a URL, which would end its host, and what the API does not take for a domain. */
const noDomain = /[%\s\p{Cc}/:?#[\]\\@]/u

/** The domain of an address, as the API writes it; undefined for a text that is none, such as one with a token. */
export function domainOf(address: string): string | undefined {
  const domain = /@([\p{L}\p{N}][^\s@{}<>]*\.[^\s@{}<>.]+)>?\s*$/u.exec(address)?.[1]
  return domain === undefined ? undefined : asciiDomain(domain)
}

/** Converts an internationalized domain to its form in DNS, `xn--bcher-kva.example`, in lower case; undefined for what is no domain. */
export function asciiDomain(domain: string): string | undefined {
  // A URL would rewrite an ASCII name that looks like a number, such as 0x7f.1.
  if (/^[\x21-\x7e]*$/.test(domain)) return domain.toLowerCase()
  const isHost = !noDomain.test(domain) && URL.canParse(`http://${domain}`)
  return isHost ? new URL(`http://${domain}`).hostname : undefined
}
