import type { FaultCode } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { createOutboundPolicy, type OutboundRules } from '../policy/outbound-policy.ts'
import { type Lookup, lookupBySystem, type ResolvedAddress, resolveHost } from './resolve-host.ts'

/**
 * A destination that was not found or is not allowed, or a request to it that failed. The message says what to do.
 * @example
 * ```ts
 * const resolve = createResolveAllowed({ mode: 'public' })
 * await resolve('127.0.0.1', 443).catch((error: OutboundError) => console.error(error.code, error.message))
 * ```
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code:
    | 'not_found'
    | 'lookup_failed'
    | 'blocked'
    | 'unreachable'
    | 'timeout'
    | 'answer_too_large'
  /** What happened, as a sentence. */
  readonly detail: string
  /** What to do, as a sentence. */
  readonly hint: string

  constructor(
    code: OutboundError['code'],
    { detail, hint }: { detail: string; hint: string },
    cause?: unknown,
  ) {
    super(`${detail} ${hint}`, { cause })
    this.code = code
    this.detail = detail
    this.hint = hint
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
      throw toOutboundError(error)
    }
  }
}

const codes: Partial<Record<FaultCode, OutboundError['code']>> = {
  host_not_found: 'not_found',
  lookup_failed: 'lookup_failed',
  address_blocked: 'blocked',
  port_blocked: 'blocked',
  stalled: 'timeout',
}

/** Converts a fault to the error of other clients than the mailer; any other error stays as it is. */
export function toOutboundError(error: unknown): unknown {
  if (!(error instanceof FaultError)) return error
  const { code, message, hint } = error.fault
  const outboundCode = codes[code] ?? 'unreachable'
  const advice =
    outboundCode === 'blocked'
      ? "Use another address, or have it added to the outbound policy's allow-list (MAILYARD_OUTBOUND_ALLOW)."
      : hint
  return new OutboundError(outboundCode, { detail: message, hint: advice }, error)
}
