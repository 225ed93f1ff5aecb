import { createHash } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import { FaultError } from '../delivery/fault-error.ts'
import type { Endpoint, PeerTrust } from './endpoint.ts'
import { handshakeTimeout, tlsFault, wrongFingerprint } from './tls-fault.ts'

interface SecureOptions {
  readonly endpoint: Endpoint
  readonly secureContext: SecureContext | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

interface SecuredSocket {
  readonly secured: TLSSocket
  /** Describes version, cipher and certificate. A function, because only tests of a transport need it. */
  readonly description: () => string
}

/**
 * Performs the TLS handshake of a client.
 * @throws {FaultError} after the socket is destroyed.
 */
export function secureSocket(socket: Socket, options: SecureOptions): Promise<SecuredSocket> {
  const { endpoint, timeoutMs, signal } = options
  return new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      host: endpoint.host,
      // An IP address is not allowed in SNI (RFC 6066, section 3).
      ...(isIP(endpoint.host) === 0 ? { servername: endpoint.host } : {}),
      rejectUnauthorized: endpoint.trust.isVerified,
      minVersion: 'TLSv1.2',
      ...(options.secureContext === undefined ? {} : { secureContext: options.secureContext }),
    })
    // An error event without a listener would end the process.
    secured.on('error', () => undefined)
    const timer = setTimeout(() => fail(handshakeTimeout(endpoint, timeoutMs)), timeoutMs)
    const cancel = () => fail(cancelled())
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      secured.removeListener('error', failed)
      secured.removeListener('close', closed)
    }
    const fail = (error: FaultError) => {
      settle()
      secured.destroy()
      socket.destroy()
      reject(error)
    }
    const failed = (error: NodeJS.ErrnoException) => fail(tlsFault(endpoint, error))
    const closed = () => fail(tlsFault(endpoint, undefined))
    secured.once('error', failed)
    secured.once('close', closed)
    secured.once('secureConnect', () => {
      if (!hasFingerprint(secured, endpoint.trust)) return fail(wrongFingerprint(endpoint))
      settle()
      resolve({ secured, description: () => describeSession(secured, endpoint.trust) })
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

function cancelled(): FaultError {
  return new FaultError({
    code: 'cancelled',
    stage: 'tls',
    scope: 'message',
    message: 'The delivery was cancelled during the TLS handshake.',
  })
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
