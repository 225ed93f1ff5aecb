import { isIPv4, isIPv6 } from 'node:net'
import { blockList, isListed } from '../../../kit/networks.ts'

/**
 * The class of an address. `closed`: never allowed: cloud metadata, link-local, multicast. `private`: loopback, private
 * networks and others that are not part of the public internet.
 */
type AddressClass = 'closed' | 'private' | 'public'

const closed = blockList([
  // Link-local, including the metadata service of most clouds.
  '169.254.0.0/16',
  'fe80::/10',
  // Metadata services at other addresses: Alibaba, Oracle, Azure, AWS and Google over IPv6.
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

// The special-purpose networks of IANA that are not globally reachable (RFC 6890).
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
  // Local-use NAT64, whose addresses may embed an IPv4 address at other positions.
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
])

/** Classifies an IP address. An embedded IPv4 address is classified too, and the stricter class counts. */
export function classifyAddress(address: string): AddressClass {
  const all = [address, ...embeddedAddresses(address)]
  if (all.some((one) => isListed(closed, one))) return 'closed'
  return all.some((one) => isListed(nonPublic, one)) ? 'private' : 'public'
}

/** Returns the 4 or 16 bytes of an IP address without its zone (`%eth0`), or undefined for another text. */
function addressBytes(address: string): number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number)
  if (!isIPv6(address)) return undefined
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const left = groupBytes(head)
  if (tail === undefined) return left
  const right = groupBytes(tail)
  return [...left, ...new Array<number>(16 - left.length - right.length).fill(0), ...right]
}

/** Whether two texts are the same IP address. An IPv6 address can be written in several forms. */
export function isSameAddress(one: string, other: string): boolean {
  const bytes = addressBytes(one)
  return bytes !== undefined && bytes.join() === addressBytes(other)?.join()
}

function groupBytes(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/**
 * Returns the IPv4 addresses that an IPv6 address embeds: a gateway for its form forwards packets to them.
 * @see RFC 4291 (mapped, compatible), RFC 2765 (translated), RFC 6052 and 8215 (NAT64), RFC 3056 (6to4), RFC 4380 (Teredo:
 * server and inverted client), RFC 5214 (ISATAP)
 */
export function embeddedAddresses(address: string): string[] {
  const bytes = addressBytes(address)
  if (bytes?.length !== 16) return []
  const at = (offset: number) => bytes.slice(offset, offset + 4).join('.')
  const begins = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte)
  const isZero = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0)
  if (isZero(0, 10) && bytes[10] === 0xff && bytes[11] === 0xff) return [at(12)]
  if (isZero(0, 8) && bytes[8] === 0xff && bytes[9] === 0xff && isZero(10, 12)) return [at(12)]
  // :: and ::1 embed no IPv4 address.
  if (isZero(0, 12)) return isZero(12, 15) ? [] : [at(12)]
  if (begins(0x00, 0x64, 0xff, 0x9b)) return [at(12)]
  if (begins(0x20, 0x02)) return [at(2)]
  if (begins(0x20, 0x01, 0x00, 0x00))
    return [
      at(4),
      bytes
        .slice(12)
        .map((byte) => byte ^ 0xff)
        .join('.'),
    ]
  const isIsatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0
  return isIsatap && bytes[10] === 0x5e && bytes[11] === 0xfe ? [at(12)] : []
}
