/** The path of the screen of a From domain. */
export function senderHref(domain: string): string {
  return `/senders/${encodeURIComponent(domain)}`
}

/** The domain of an address; undefined for a text that is none, such as one with a token. */
export function domainOf(address: string): string | undefined {
  return /@([a-z0-9][^\s@{}<>]*\.[^\s@{}<>.]+)>?\s*$/i.exec(address)?.[1]?.toLowerCase()
}
