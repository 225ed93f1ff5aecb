import { connect, type LookupFunction, type Socket } from 'node:net'
import { FaultError } from '../delivery/fault-error.ts'
import { type Endpoint, endpointName } from './endpoint.ts'
import type { ResolvedAddress } from './resolve-host.ts'

interface OpenOptions {
  readonly endpoint: Endpoint
  /** The allowed addresses; the connection goes to one of them. */
  readonly addresses: readonly ResolvedAddress[]
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * The time before the next address is tried in parallel.
 * @see RFC 8305, section 5
 */
const nextAddressAfterMs = 250

/**
 * Connects over TCP, with TCP_NODELAY.
 * @throws {FaultError}
 */
export function openSocket({
  endpoint,
  addresses,
  timeoutMs,
  signal,
}: OpenOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      // A name, so that Node calls the pinned lookup even for a single address.
      host: 'pinned.invalid',
      port: endpoint.port,
      lookup: pinnedLookup(addresses),
      autoSelectFamily: addresses.length > 1,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
      noDelay: true,
      ...(endpoint.sourceAddress === null ? {} : { localAddress: endpoint.sourceAddress }),
    })
    // An error event without a listener would end the process.
    socket.on('error', () => undefined)
    const timer = setTimeout(() => fail(noAnswer(endpoint, timeoutMs)), timeoutMs)
    const cancel = () => fail(cancelled())
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      socket.removeListener('error', failed)
    }
    const fail = (error: FaultError) => {
      settle()
      socket.destroy()
      reject(error)
    }
    const failed = (error: NodeJS.ErrnoException) => fail(connectFault(endpoint, error))
    socket.once('error', failed)
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
  })
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family ?? 0)
  }
}

function cancelled(): FaultError {
  return new FaultError({
    code: 'cancelled',
    stage: 'connect',
    scope: 'message',
    message: 'The delivery was cancelled while connecting.',
  })
}

function noAnswer(endpoint: Endpoint, timeoutMs?: number, cause?: unknown): FaultError {
  const { port } = endpoint
  return new FaultError(
    {
      code: 'no_answer',
      stage: 'connect',
      message: `${endpointName(endpoint)} did not answer${timeoutMs === undefined ? '' : ` in ${timeoutMs / 1000} s`}.`,
      hint: `Check host and port.${port === 25 ? ' Many hosting providers block port 25; try 587.' : ' A firewall may drop the connection.'}`,
    },
    { cause },
  )
}

function connectFault(endpoint: Endpoint, error: NodeJS.ErrnoException): FaultError {
  const name = endpointName(endpoint)
  const code = codeOf(error) ?? 'network error'
  if (code === 'ECONNREFUSED')
    return new FaultError(
      {
        code: 'connection_refused',
        stage: 'connect',
        message: `Nothing answers at ${name} (connection refused).`,
        hint: !endpoint.protocol.startsWith('smtp')
          ? 'Check the host and the port in the DSN (an API is reached over HTTPS, usually at port 443) and the firewall.'
          : 'Check the port (587, 465, 25 or 2525) and the firewall.',
      },
      { cause: error },
    )
  if (code === 'ETIMEDOUT') return noAnswer(endpoint, undefined, error)
  const { sourceAddress } = endpoint
  if (sourceAddress !== null && (code === 'EADDRNOTAVAIL' || code === 'EINVAL'))
    return sourceUnavailable(sourceAddress, error)
  return new FaultError(
    {
      code: 'unreachable',
      stage: 'connect',
      message: `${name} cannot be reached (${code}).`,
      hint: 'Check the host and the network of this machine.',
    },
    { cause: error },
  )
}

/** Returns the code of an error. With several addresses it is the code of the first. */
function codeOf(error: NodeJS.ErrnoException): string | undefined {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : []
  return first?.code ?? error.code
}

function sourceUnavailable(address: string, cause: unknown): FaultError {
  return new FaultError(
    {
      code: 'source_forbidden',
      stage: 'connect',
      message: `This machine cannot connect from ${address}.`,
      hint: 'Set source_ip to an address of this machine.',
    },
    { cause },
  )
}
