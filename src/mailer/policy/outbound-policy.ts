import { classifyAddress } from './address-class.ts'
import { type Destination, parseNetworkRule } from './network-rule.ts'

/** What an operator says about where messages may go. */
export interface OutboundRules {
  /**
   * `open`: private and loopback addresses may be reached, for those who host themselves. `public`:
   * only public addresses and mail ports. Cloud metadata and link-local addresses are closed in both.
   */
  readonly mode: 'open' | 'public'
  /**
   * What `public` lets through besides: an address or network (`10.1.0.0/16`), a host name
   * (`relay.internal`), each with or without a port (`localhost:25`, `[::1]:25`).
   */
  readonly allow?: readonly string[]
  /** Networks, addresses and host names that are closed on top, such as one's own public ones. */
  readonly deny?: readonly string[]
}

/** Why a connection is not made. */
export type OutboundRefusal = 'closed' | 'private' | 'denied' | 'port'

/** Judges where connections may go; asked for every address before it is connected to. */
export interface OutboundPolicy {
  check(destination: Destination): OutboundRefusal | undefined
}

// SMTP and submission with the alternatives that providers offer, mail catchers, HTTPS.
const mailPorts = new Set([25, 465, 587, 1025, 2465, 2525, 2587, 8025, 443, 8443])

/** Reads an operator's rules. Throws RangeError for an entry that cannot be read. */
export function createOutboundPolicy(rules: OutboundRules = { mode: 'open' }): OutboundPolicy {
  const allow = (rules.allow ?? []).map(parseNetworkRule)
  const deny = (rules.deny ?? []).map(parseNetworkRule)
  return {
    check(destination) {
      const addressClass = classifyAddress(destination.address)
      if (addressClass === 'closed') return 'closed'
      if (deny.some((rule) => rule.matches(destination))) return 'denied'
      if (rules.mode === 'open' || allow.some((rule) => rule.matches(destination))) return undefined
      if (addressClass === 'private') return 'private'
      return mailPorts.has(destination.port) ? undefined : 'port'
    },
  }
}
