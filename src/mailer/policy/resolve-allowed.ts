import {
  type Lookup,
  lookupBySystem,
  type ResolvedAddress,
  resolveHost,
} from '../connect/resolve-host.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { createOutboundPolicy, type OutboundRules } from './outbound-policy.ts'

/**
 * A destination that was not found or is not allowed. The message says what to do.
 * @example
 * ```ts
 * const resolve = createResolveAllowed({ mode: 'public' })
 * await resolve('127.0.0.1', 443).catch((error: OutboundError) => console.error(error.code, error.message))
 * ```
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: 'not_found' | 'lookup_failed' | 'blocked'

  constructor(code: OutboundError['code'], message: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

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
  const policy = createOutboundPolicy(rules)
  const options = { policy, lookup, timeouts: { resolveMs: timeoutMs } }
  return async (host, port) => {
    const trust = { isVerified: true, fingerprints: [] }
    try {
      const endpoint = { host, port, protocol: 'https' as const, trust, sourceAddress: null }
      return await resolveHost(endpoint, options)
    } catch (error) {
      throw error instanceof FaultError ? toOutboundError(host, error) : error
    }
  }
}

function toOutboundError(host: string, error: FaultError): OutboundError {
  const { code, message, hint } = error.fault
  if (code === 'host_not_found')
    return new OutboundError('not_found', `The host "${host}" was not found. ${hint}`, error)
  if (code === 'lookup_failed')
    return new OutboundError('lookup_failed', `${message} ${hint}`, error)
  const advice =
    "Use another address, or have it added to the outbound policy's allow-list (MAILYARD_OUTBOUND_ALLOW)."
  return new OutboundError('blocked', `${message} ${advice}`, error)
}
