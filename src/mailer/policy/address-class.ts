import { BlockList, isIPv6 } from 'node:net'
import { embeddedAddresses } from './address-bytes.ts'

/**
 * `closed`: never to be reached, whatever the operator allows: cloud metadata, link-local, multicast.
 * `private`: loopback, private and other networks that are not of the public internet.
 */
export type AddressClass = 'closed' | 'private' | 'public'

const closed = blockList([
  // Link-local, with the metadata service of most clouds.
  '169.254.0.0/16',
  'fe80::/10',
  // Metadata services that live elsewhere: Alibaba, Oracle, Azure, AWS and Google over IPv6.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // Multicast and broadcast.
  '224.0.0.0/4',
  '255.255.255.255/32',
  'ff00::/8',
])

// The special-purpose registries of IANA (RFC 6890) that are not globally reachable.
const nonPublic = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  // A network's own NAT64, whose addresses may carry an IPv4 address at other places too.
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
])

/** Classes an IP address; an IPv6 form that carries an IPv4 address is as closed as what it carries. */
export function classifyAddress(address: string): AddressClass {
  const all = [address, ...embeddedAddresses(address)]
  if (all.some((one) => isListed(closed, one))) return 'closed'
  return all.some((one) => isListed(nonPublic, one)) ? 'private' : 'public'
}

/** Makes a list of networks, each `address/prefix`. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}

/** Whether an address is in a list. */
export function isListed(list: BlockList, address: string): boolean {
  const bare = address.split('%')[0] ?? ''
  return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
}
