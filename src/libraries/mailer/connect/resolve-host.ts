import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { within } from '../../../kit/within.ts'
import type { OutboundPolicy, OutboundRefusal } from '../policy/outbound-policy.ts'
import type { Endpoint } from './endpoint.ts'
import { lookupFault, refusedFault } from './network-fault.ts'

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Finds all addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/** Looks a host up with the resolver of the system, which reads /etc/hosts and search domains. */
export const lookupBySystem: Lookup = (host) => systemLookup(host, { all: true, order: 'verbatim' })

interface ResolveOptions {
  readonly policy: OutboundPolicy
  readonly lookup: Lookup
  readonly timeouts: { readonly resolveMs: number }
}

/**
 * Resolves the host of an endpoint to the addresses that the policy allows. Forms that the system reads as an address
 * (`127.1`, `0x7f000001`) are looked up like names, so that the resulting address is checked.
 * @returns At least one address.
 * @throws {FaultError}
 */
export async function resolveHost(
  endpoint: Endpoint,
  { policy, lookup, timeouts }: ResolveOptions,
): Promise<ResolvedAddress[]> {
  const { host, port } = endpoint
  const addresses = await findAddresses(host, lookup, timeouts.resolveMs)
  let refusal: OutboundRefusal | undefined
  const allowed = addresses.filter(({ address }) => {
    const reason = policy.check({ host, address, port })
    refusal ??= reason
    return reason === undefined
  })
  if (allowed.length > 0) return allowed
  throw refusal === undefined ? lookupFault(host) : refusedFault(endpoint, refusal)
}

async function findAddresses(
  host: string,
  lookup: Lookup,
  timeoutMs: number,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const late = Object.assign(new Error('The resolver did not answer.'), {
    code: 'no answer in time',
  })
  try {
    const addresses = await within(timeoutMs, lookup(host))
    if (addresses === undefined) throw late
    return addresses
  } catch (error) {
    throw lookupFault(host, error as NodeJS.ErrnoException)
  }
}
