import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'

/** The certificate chain of the SMTP server and its private key, in PEM. */
export interface ServerCertificate {
  certificate: string | undefined
  key: string | undefined
}

export interface ServerTlsOptions {
  /** The certificate that was read at the start. */
  first: ServerCertificate
  /** Reads the current certificate, whose files may have been replaced by a renewal. May throw. */
  read: () => ServerCertificate
  clock: Clock
  log: Log
}

const checkMs = 60_000

/**
 * Returns a function that gives each handshake the newest valid certificate; it checks for a new one each minute. Throws an
 * AppError if the first certificate is invalid. A later invalid one is logged, and the last valid one stays in use.
 */
export function openServerTls({ first, read, clock, log }: ServerTlsOptions): () => SecureContext {
  let context = createContext(first)
  let current = first
  let checkedAt = clock.monotonic()
  let problem: string | undefined
  const renew = () => {
    try {
      const latest = read()
      if (latest.certificate !== current.certificate || latest.key !== current.key) {
        context = createContext(latest)
        current = latest
        log.info('SMTP certificate renewed')
      }
      problem = undefined
    } catch (err) {
      const { message } = err as Error
      if (message !== problem) log.warn({ err }, 'SMTP certificate not renewed')
      problem = message
    }
  }
  return () => {
    const now = clock.monotonic()
    if (now - checkedAt >= checkMs) {
      checkedAt = now
      renew()
    }
    return context
  }
}

function createContext({ certificate, key }: ServerCertificate): SecureContext {
  if (certificate === undefined || key === undefined) throw invalid('needs both', undefined)
  try {
    return createSecureContext({ cert: certificate, key })
  } catch (cause) {
    throw invalid(`does not work (${(cause as Error).message}) with`, cause)
  }
}

function invalid(problem: string, cause: unknown): AppError {
  const message = `TLS at the SMTP server ${problem} MAILYARD_SMTP_TLS_CERTIFICATE and MAILYARD_SMTP_TLS_KEY.`
  return new AppError('invalid', 'smtp_certificate', message, { cause })
}

/** Performs the server's side of a TLS handshake. Rejects if it fails. */
export function secureSocket(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext })
    const fail = (error?: Error) => {
      secured.destroy()
      reject(error ?? new Error('The client disconnected during the TLS handshake.'))
    }
    secured.once('error', fail)
    secured.once('close', () => fail())
    secured.once('secure', () => {
      secured.removeAllListeners('close').off('error', fail)
      secured.on('error', () => secured.destroy())
      resolve(secured)
    })
  })
}
