import { BlockList, isIPv6 } from 'node:net'

/** An address as it is compared: IPv4 stays IPv4 where a socket of both families gave it. */
export function normalAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Whether an address is this machine's own, so that nothing goes over a wire. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}

/** Finds the value of the first network that an address is in; networks are in CIDR notation or single addresses. */
export function createNetworkLookup<Value>(
  entries: readonly { network: string; value: Value }[],
): (address: string) => Value | undefined {
  const lists = entries.map(({ network, value }) => ({ list: listOf(network), value }))
  return (address) => {
    // It is a socket's, and no guess.
    const family = address.includes(':') ? 'ipv6' : 'ipv4'
    return lists.find(({ list }) => list.check(address, family))?.value
  }
}

function listOf(network: string): BlockList {
  const list = new BlockList()
  const [address = '', prefix] = network.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(prefix), family)
  return list
}
