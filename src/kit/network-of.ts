import ipaddr from 'ipaddr.js'

/**
 * Returns the network that an address is counted under where attempts or connections are limited: an IPv4
 * address itself, also where it is written as IPv6 (`::ffff:192.0.2.1`), and the /64 of an IPv6 address, which
 * is what one customer has at least. What is no address is returned as it is.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = parsed.toByteArray().slice(0, 8)
  return `${ipaddr.fromByteArray([...prefix, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`
}
