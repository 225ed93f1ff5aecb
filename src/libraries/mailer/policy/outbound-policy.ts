import { type BlockList, isIP, isIPv6 } from 'node:net'
import { blockList, isListed } from '../../../kit/networks.ts'
import { classifyAddress, embeddedAddresses } from './address-class.ts'

/**
 * Where a mailer may connect to.
 * @example
 * ```ts
 * const policy: OutboundRules = { mode: 'public', allow: ['relay.internal:25', '10.1.0.0/16'] }
 * const mailer = createMailer({ policy })
 * ```
 */
export interface OutboundRules {
  /**
   * `open`: private and loopback addresses are allowed, for self-hosted servers. `public`: only public addresses and
   * mail ports are allowed. Cloud metadata and link-local addresses are never allowed.
   */
  readonly mode: 'open' | 'public'
  /**
   * What `public` allows in addition: an address or network (`10.1.0.0/16`) or a host name (`relay.internal`), each with
   * or without a port (`localhost:25`, `[::1]:25`).
   */
  readonly allow?: readonly string[]
  /** Networks, addresses and host names that are denied, in both modes. */
  readonly deny?: readonly string[]
}

/** Why a connection is not allowed. */
export type OutboundRefusal = 'closed' | 'private' | 'denied' | 'port'

// SMTP and submission, the alternative ports of providers, mail catchers, and HTTPS.
const mailPorts = new Set([25, 465, 587, 1025, 2465, 2525, 2587, 8025, 443, 8443])

/** Decides which addresses may be connected to. It is asked for every address before a connection. */
export class OutboundPolicy {
  readonly #mode: OutboundRules['mode']
  readonly #allow: readonly NetworkRule[]
  readonly #deny: readonly NetworkRule[]

  /** @throws {RangeError} for an entry of a list that is not an address, network or host name. */
  constructor({ mode, allow = [], deny = [] }: OutboundRules = { mode: 'open' }) {
    this.#mode = mode
    this.#allow = allow.map(parseNetworkRule)
    this.#deny = deny.map(parseNetworkRule)
  }

  check(destination: Destination): OutboundRefusal | undefined {
    const addressClass = classifyAddress(destination.address)
    if (addressClass === 'closed') return 'closed'
    if (this.#deny.some((rule) => rule.matches(destination))) return 'denied'
    if (this.#mode === 'open') return undefined
    if (this.#allow.some((rule) => rule.matches(destination))) return undefined
    if (addressClass === 'private') return 'private'
    return mailPorts.has(destination.port) ? undefined : 'port'
  }
}

/** The destination of a connection. */
interface Destination {
  /** The host as the DSN names it. */
  readonly host: string
  /** One of the addresses of the host. */
  readonly address: string
  readonly port: number
}

/** One entry of an allow or deny list. */
interface NetworkRule {
  matches(destination: Destination): boolean
}

/**
 * Parses an entry: `10.1.0.0/16`, `10.1.2.3`, `fd00::/8`, `[::1]:25`, `relay.internal`, `localhost:25`.
 * @throws {RangeError} for anything else.
 */
function parseNetworkRule(text: string): NetworkRule {
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

/** Normalizes a host name: lower case, without a final dot. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Whether an address, or the IPv4 address that it embeds (`::ffff:10.0.0.1`), is in a network. */
function isInNetwork(list: BlockList, address: string): boolean {
  return [address, ...embeddedAddresses(address)].some((one) => isListed(list, one))
}

function splitPort(text: string): { target: string; port: number | undefined } {
  const match = /^\[([^\]]+)\](\/\d+)?(?::(\d{1,5}))?$/.exec(text)
  if (match !== null)
    return { target: `${match[1]}${match[2] ?? ''}`, port: match[3] ? Number(match[3]) : undefined }
  const colon = text.lastIndexOf(':')
  if (colon === -1 || isIPv6(text.split('/')[0] ?? '')) return { target: text, port: undefined }
  if (!/^\d{1,5}$/.test(text.slice(colon + 1))) throw invalid(text)
  return { target: text.slice(0, colon), port: Number(text.slice(colon + 1)) }
}

function invalid(text: string): RangeError {
  return new RangeError(
    `"${text}" is not an address, network or host name such as 10.1.0.0/16, [::1]:25 or relay.internal:25.`,
  )
}
