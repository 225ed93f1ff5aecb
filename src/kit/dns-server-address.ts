import { isIP } from 'node:net'

export interface DnsServerAddress {
  address: string
  port: number
}

/**
 * Parses the address of a DNS server: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`.
 * @returns Undefined where the text is none of them.
 */
export function parseDnsServer(text: string): DnsServerAddress | undefined {
  if (isIP(text) !== 0) return { address: text, port: 53 }
  const [, v6, v4, digits = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = v6 ?? v4 ?? ''
  const port = Number(digits)
  const isRight = isIP(address) === (v6 === undefined ? 4 : 6) && port > 0 && port < 65_536
  return isRight ? { address, port } : undefined
}
