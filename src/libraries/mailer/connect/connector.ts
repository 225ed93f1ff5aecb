import { createHash } from 'node:crypto'
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net'
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { Alarm } from '../../../kit/timers.ts'
import { cancelledFault, type FaultError } from '../delivery/fault-error.ts'
import type { Observer } from '../delivery/stage.ts'
import type { OutboundPolicy } from '../policy/outbound-policy.ts'
import type { Endpoint, PeerTrust } from './endpoint.ts'
import {
  connectFault,
  connectTimeout,
  handshakeTimeout,
  tlsFault,
  wrongFingerprint,
} from './network-fault.ts'
import { type Lookup, type ResolvedAddress, resolveHost } from './resolve-host.ts'

/** Options that all connections of a mailer share. */
interface ConnectorOptions {
  readonly policy: OutboundPolicy
  readonly lookup: Lookup
  /** Undefined to trust the certificates of the system. */
  readonly secureContext?: SecureContext | undefined
  readonly timeouts: {
    readonly resolveMs: number
    readonly connectMs: number
    readonly tlsMs: number
  }
}

export interface ConnectOptions {
  readonly observer: Observer
  readonly signal?: AbortSignal | undefined
}

/**
 * The time before the next address is tried in parallel.
 * @see RFC 8305, section 5
 */
const nextAddressAfterMs = 250

/** Opens connections for SMTP and HTTP. Every address is checked against the outbound policy first. */
export class Connector {
  readonly #options: ConnectorOptions

  constructor(options: ConnectorOptions) {
    this.#options = options
  }

  /**
   * Resolves the host, checks its addresses and connects to an allowed one over TCP, with TCP_NODELAY.
   * @throws {FaultError}
   */
  async open(endpoint: Endpoint, { observer, signal }: ConnectOptions): Promise<Socket> {
    const { connectMs } = this.#options.timeouts
    observer.enter('resolve')
    const addresses = await resolveHost(endpoint, this.#options)
    observer.found(addresses.map(({ address }) => address).join(', '))
    observer.enter('connect')
    const socket = tcpConnect({
      // A name, so that Node calls the pinned lookup even for a single address.
      host: 'pinned.invalid',
      port: endpoint.port,
      lookup: pinnedLookup(addresses),
      autoSelectFamily: addresses.length > 1,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
      noDelay: true,
      ...(endpoint.sourceAddress === null ? {} : { localAddress: endpoint.sourceAddress }),
    })
    await untilReady(socket, 'connect', {
      signal,
      timeoutMs: connectMs,
      late: () => connectTimeout(endpoint, connectMs),
      cancelled: () => cancelledFault('connect', 'while connecting'),
      failed: (error) => connectFault(endpoint, error),
    })
    observer.found(`Connected to ${socket.remoteAddress ?? endpoint.host} port ${endpoint.port}.`)
    return socket
  }

  /**
   * Starts TLS on an open socket and checks the certificate.
   * @throws {FaultError} after the socket is destroyed.
   */
  async secure(
    socket: Socket,
    endpoint: Endpoint,
    { observer, signal }: ConnectOptions,
  ): Promise<TLSSocket> {
    const { secureContext, timeouts } = this.#options
    const { host, trust } = endpoint
    observer.enter('tls')
    const secured = tlsConnect({
      socket,
      host,
      // An IP address is not allowed in SNI (RFC 6066, section 3).
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: trust.isVerified,
      minVersion: 'TLSv1.2',
      ...(secureContext === undefined ? {} : { secureContext }),
    })
    try {
      await untilReady(secured, 'secureConnect', {
        signal,
        timeoutMs: timeouts.tlsMs,
        late: () => handshakeTimeout(endpoint, timeouts.tlsMs),
        cancelled: () => cancelledFault('tls', 'during the TLS handshake'),
        failed: (error) => tlsFault(endpoint, error),
      })
      if (!hasFingerprint(secured, trust)) throw wrongFingerprint(endpoint)
    } catch (error) {
      secured.destroy()
      socket.destroy()
      throw error
    }
    observer.found(describeSession(secured, trust))
    return secured
  }
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family ?? 0)
  }
}

interface ReadyOptions {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  readonly late: () => FaultError
  readonly cancelled: () => FaultError
  /** Without an error the server closed the connection. */
  readonly failed: (error: NodeJS.ErrnoException | undefined) => FaultError
}

/** Waits until a socket is ready, and destroys one that fails before. */
function untilReady(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  { signal, timeoutMs, late, cancelled, failed }: ReadyOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // An error event without a listener would end the process.
    socket.on('error', () => undefined)
    const settle = () => {
      timer.cancel()
      signal?.removeEventListener('abort', cancel)
      socket.off('error', onError).off('close', onClose)
    }
    const fail = (error: FaultError) => {
      settle()
      socket.destroy()
      reject(error)
    }
    const cancel = () => fail(cancelled())
    const onError = (error: NodeJS.ErrnoException) => fail(failed(error))
    const onClose = () => fail(failed(undefined))
    const timer = new Alarm(() => fail(late())).set(timeoutMs)
    socket.once('error', onError)
    socket.once('close', onClose)
    socket.once(event, () => {
      settle()
      resolve()
    })
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
  })
}

function hasFingerprint(secured: TLSSocket, { fingerprints }: PeerTrust): boolean {
  if (fingerprints.length === 0) return true
  const { raw } = secured.getPeerCertificate()
  // Not in checkServerIdentity, because Node does not call it when the chain is not verified.
  return fingerprints.some(
    ({ algorithm, hex }) => createHash(algorithm).update(raw).digest('hex') === hex,
  )
}

/** Describes version, cipher and certificate with its expiry date in one line. */
function describeSession(secured: TLSSocket, trust: PeerTrust): string {
  const certificate = secured.getPeerCertificate()
  const version = secured.getProtocol() ?? 'TLS'
  const cipher = secured.getCipher().standardName
  const subject = firstOf(certificate.subject?.CN) ?? certificate.subjectaltname ?? 'no name'
  const issuer = firstOf(certificate.issuer?.O) ?? firstOf(certificate.issuer?.CN) ?? 'itself'
  const verified = trust.isVerified ? '' : ', not verified'
  return `${version}, ${cipher}, certificate for ${subject} by ${issuer}, valid until ${dayOf(certificate.valid_to)}${verified}`
}

/** Formats an expiry date. An unverified certificate may have an invalid one. */
function dayOf(date: string): string {
  const time = Date.parse(date)
  return Number.isNaN(time) ? 'an invalid date' : new Date(time).toISOString().slice(0, 10)
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
