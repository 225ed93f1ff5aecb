import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { FaultError } from '../delivery/fault-error.ts'
import type { OutboundPolicy, OutboundRefusal } from '../policy/outbound-policy.ts'
import { type Endpoint, endpointName } from './endpoint.ts'

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
  const found = await findAddresses(endpoint, lookup, timeouts.resolveMs)
  let refusal: OutboundRefusal | undefined
  const open = found.filter(({ address }) => {
    const reason = policy.check({ host, address, port })
    refusal ??= reason
    return reason === undefined
  })
  if (open.length > 0) return open
  if (refusal !== undefined) throw blocked(endpoint, refusal)
  throw notFound(host)
}

async function findAddresses(
  { host }: Endpoint,
  lookup: Lookup,
  timeoutMs: number,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  try {
    return await withDeadline(lookup(host), timeoutMs, () =>
      lookupFailed(host, 'no answer in time'),
    )
  } catch (error) {
    if (error instanceof FaultError) throw error
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'ENONAME')
      throw notFound(host, error)
    throw lookupFailed(host, code ?? 'unknown reason', error)
  }
}

function notFound(host: string, cause?: unknown): FaultError {
  return new FaultError(
    {
      code: 'host_not_found',
      stage: 'resolve',
      message: `The host "${host}" was not found.`,
      hint: 'Check the host name.',
    },
    { cause },
  )
}

function lookupFailed(host: string, reason: string, cause?: unknown): FaultError {
  return new FaultError(
    {
      code: 'lookup_failed',
      stage: 'resolve',
      message: `The name "${host}" could not be looked up (${reason}).`,
      hint: 'The DNS server of this machine does not answer. Try again, and check the DNS settings.',
    },
    { cause },
  )
}

const refusals: Record<OutboundRefusal, [message: string, hint: string]> = {
  closed: [
    'is a link-local, metadata or multicast address, which is never allowed',
    'Use a mail server with another address.',
  ],
  private: [
    'is in a private network, and addresses in private networks are not allowed here',
    "The operator can add it to the outbound policy's allow-list.",
  ],
  denied: ["is on the operator's deny-list", 'The operator can take it off the list.'],
  port: [
    'has a port that is not for mail',
    "Use 587, 465, 25 or 2525, or have the operator add it to the outbound policy's allow-list.",
  ],
}

const refusedApiPort: typeof refusals.port = [
  'has a port that is not for an API',
  "Use 443 or 8443, or have the operator add it to the outbound policy's allow-list.",
]

function blocked(endpoint: Endpoint, refusal: OutboundRefusal): FaultError {
  const [message, hint] =
    refusal === 'port' && !endpoint.protocol.startsWith('smtp') ? refusedApiPort : refusals[refusal]
  return new FaultError({
    code: refusal === 'port' ? 'port_blocked' : 'address_blocked',
    stage: 'resolve',
    // The address of an internal host name is not shown to outsiders.
    message: `${endpointName(endpoint)} ${message}.`,
    hint,
  })
}

/** Waits for `work` for a limited time, then throws the error of `late`. A later result of `work` is ignored. */
async function withDeadline<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  late: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}
