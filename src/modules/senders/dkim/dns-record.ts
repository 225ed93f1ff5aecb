import type { KeyAlgorithm } from './table.ts'

/** A DNS record to publish. */
export interface PublishedRecord {
  type: 'TXT'
  name: string
  value: string
  /** As a line of a zone file. */
  zone: string
}

/** A string of a TXT record has at most 255 octets. @see RFC 1035, section 3.3.14 */
const stringMax = 255
const ttlSeconds = 3_600

/** Returns the record that publishes a key. */
export function recordOf({
  domain,
  selector,
  algorithm,
  publicKey,
}: {
  domain: string
  selector: string
  algorithm: KeyAlgorithm
  publicKey: string
}): PublishedRecord {
  const name = `${selector}._domainkey.${domain}`
  const value = `v=DKIM1; k=${algorithm}; p=${publicKey}`
  const strings = value.match(new RegExp(`.{1,${stringMax}}`, 'g')) ?? []
  const quoted = strings.map((text) => `"${text}"`).join(' ')
  const data = strings.length > 1 ? `( ${quoted} )` : quoted
  return { type: 'TXT', name, value, zone: `${name}. ${ttlSeconds} IN TXT ${data}` }
}
