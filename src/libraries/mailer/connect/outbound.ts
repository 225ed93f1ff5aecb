import { OutboundPolicy, type OutboundRules } from '../policy/outbound-policy.ts'
import { OutboundError } from './outbound-error.ts'
import { type Lookup, lookupBySystem, type ResolvedAddress, resolveHost } from './resolve-host.ts'

/**
 * Finds the addresses of a host that may be connected to. Connect to one of the results: the name may resolve to another
 * address later.
 * @param host A host name or an IP address; an IPv6 address without brackets.
 * @returns At least one address.
 * @throws {OutboundError}
 * @example
 * ```ts
 * const resolve: ResolveAllowed = createResolveAllowed({ mode: 'public' })
 * const [first] = await resolve('api.example.com', 443)
 * ```
 */
export type ResolveAllowed = (host: string, port: number) => Promise<readonly ResolvedAddress[]>

/**
 * Creates the function that applies the outbound policy to connections of other clients than the mailer.
 * @example
 * ```ts
 * const resolve = createResolveAllowed({ mode: 'public', allow: ['10.1.0.0/16'] })
 * const addresses = await resolve('intranet.example.com', 443)
 * ```
 */
export function createResolveAllowed(
  rules: OutboundRules,
  { lookup = lookupBySystem, timeoutMs = 10_000 }: { lookup?: Lookup; timeoutMs?: number } = {},
): ResolveAllowed {
  const policy = new OutboundPolicy(rules)
  const options = { policy, lookup, timeouts: { resolveMs: timeoutMs } }
  return async (host, port) => {
    const trust = { isVerified: true, fingerprints: [] }
    try {
      const endpoint = { host, port, protocol: 'https' as const, trust, sourceAddress: null }
      return await resolveHost(endpoint, options)
    } catch (error) {
      throw OutboundError.of(error)
    }
  }
}
