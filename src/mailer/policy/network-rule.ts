import { type BlockList, isIP, isIPv6 } from 'node:net'
import { embeddedAddresses } from './address-bytes.ts'
import { blockList, isListed } from './address-class.ts'

/** Where a connection is about to go. */
export interface Destination {
  /** As the DSN names it. */
  readonly host: string
  /** One of the addresses that the name has. */
  readonly address: string
  readonly port: number
}

/** One entry of an operator's list. */
export interface NetworkRule {
  matches(destination: Destination): boolean
}

/**
 * Reads `10.1.0.0/16`, `10.1.2.3`, `fd00::/8`, `[::1]:25`, `relay.internal`, `localhost:25`. Throws
 * RangeError for anything else.
 */
export function parseNetworkRule(text: string): NetworkRule {
  const { target, port } = splitPort(text.trim())
  const isPort = (destination: Destination) => port === undefined || destination.port === port
  const [address = '', prefix] = target.split('/')
  const family = isIP(address)
  if (family === 0) {
    if (!/^[A-Za-z0-9._-]+$/.test(target)) throw invalid(text)
    const name = plainName(target)
    return { matches: (to) => isPort(to) && plainName(to.host) === name }
  }
  const bits = family === 6 ? 128 : 32
  const length = prefix === undefined ? bits : Number(prefix)
  if (prefix === '' || !Number.isInteger(length) || length < 0 || length > bits) throw invalid(text)
  const list = blockList([`${address}/${length}`])
  return { matches: (to) => isPort(to) && isInNetwork(list, to.address) }
}

/** A name with a dot at its end is the same name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** A mapped address (`::ffff:10.0.0.1`) is the IPv4 address that it carries. */
function isInNetwork(list: BlockList, address: string): boolean {
  return [address, ...embeddedAddresses(address)].some((one) => isListed(list, one))
}

function splitPort(text: string): { target: string; port: number | undefined } {
  const found = /^\[([^\]]+)\](\/\d+)?(?::(\d{1,5}))?$/.exec(text)
  if (found !== null)
    return { target: `${found[1]}${found[2] ?? ''}`, port: found[3] ? Number(found[3]) : undefined }
  const colon = text.lastIndexOf(':')
  if (colon === -1 || isIPv6(text.split('/')[0] ?? '')) return { target: text, port: undefined }
  if (!/^\d{1,5}$/.test(text.slice(colon + 1))) throw invalid(text)
  return { target: text.slice(0, colon), port: Number(text.slice(colon + 1)) }
}

function invalid(text: string): RangeError {
  return new RangeError(
    `"${text}" is no address, network or host name, as in 10.1.0.0/16, [::1]:25 or relay.internal:25.`,
  )
}
