import { createHash } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import { FaultError } from '../delivery/fault-error.ts'
import type { PeerTrust } from '../smtp/smtp-settings.ts'
import { describeSession } from './describe-session.ts'
import type { Endpoint } from './endpoint.ts'
import { handshakeTimeout, tlsFault, wrongFingerprint } from './tls-fault.ts'

interface SecureOptions {
  readonly endpoint: Endpoint
  readonly secureContext: SecureContext | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

interface SecuredSocket {
  readonly secured: TLSSocket
  /** Version, cipher and certificate, for people; made on demand because it is not for the hot path. */
  readonly description: () => string
}

/** Makes the TLS handshake of a client. Throws FaultError and destroys the socket. */
export function secureSocket(socket: Socket, options: SecureOptions): Promise<SecuredSocket> {
  const { endpoint, timeoutMs, signal } = options
  return new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      host: endpoint.host,
      // An address is no name that a server could choose a certificate by (RFC 6066, section 3).
      ...(isIP(endpoint.host) === 0 ? { servername: endpoint.host } : {}),
      rejectUnauthorized: endpoint.trust.isVerified,
      minVersion: 'TLSv1.2',
      ...(options.secureContext === undefined ? {} : { secureContext: options.secureContext }),
    })
    // An error that comes while nobody listens must not end the process.
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
  // Compared here and not in checkServerIdentity, which is not called for an unverified chain.
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
