import { isIPv4, isIPv6 } from 'node:net'

/** The 4 or 16 bytes of an IP address; undefined for what is none. A zone (`%eth0`) is left off. */
export function addressBytes(address: string): number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number)
  if (!isIPv6(address)) return undefined
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const left = groupBytes(head)
  if (tail === undefined) return left
  const right = groupBytes(tail)
  return [...left, ...new Array<number>(16 - left.length - right.length).fill(0), ...right]
}

/** Whether two texts mean one IP address, which IPv6 writes in many ways. */
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
 * The IPv4 addresses that an IPv6 address carries: a packet to it ends at one of them wherever a
 * gateway for that form stands. Mapped and compatible (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052 and 8215), 6to4
 * (RFC 3056), Teredo (RFC 4380: server and, inverted, client) and ISATAP (RFC 5214).
 */
export function embeddedAddresses(address: string): string[] {
  const bytes = addressBytes(address)
  if (bytes?.length !== 16) return []
  const at = (offset: number) => bytes.slice(offset, offset + 4).join('.')
  const begins = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte)
  const isZero = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0)
  if (isZero(0, 10) && bytes[10] === 0xff && bytes[11] === 0xff) return [at(12)]
  if (isZero(0, 8) && bytes[8] === 0xff && bytes[9] === 0xff && isZero(10, 12)) return [at(12)]
  // :: and ::1 are addresses of their own.
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
