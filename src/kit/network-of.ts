import ipaddr from 'ipaddr.js'

/** Whether an address is loopback, so that nothing is sent over a network; also in the form `::ffff:127.0.0.1`. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/**
 * Returns the network that limits count an address under: an IPv4 address itself, also in the form `::ffff:192.0.2.1`, and
 * the /64 of an IPv6 address, which is the least that one customer has. Other text is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = parsed.toByteArray().slice(0, 8)
  return `${ipaddr.fromByteArray([...prefix, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`
}
