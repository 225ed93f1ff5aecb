import { BlockList, isIP, isIPv6 } from 'node:net'

/** Whether a text is an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const longest = family === 6 ? 128 : 32
  const isPrefixRight =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest)
  return family !== 0 && isPrefixRight && rest.length === 0
}

/** Creates a list of networks in CIDR notation and of single addresses. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** Whether a list has an address. An IPv4 address in the form `::ffff:192.0.2.1` is that IPv4 address. */
export function isListed(list: BlockList, address: string): boolean {
  const bare = address.split('%')[0] ?? ''
  return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
}
