import { createSecureContext, type SecureContext } from 'node:tls'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'

/** The certificate of the SMTP door with its chain, and its private key, in PEM. */
export interface DoorCertificate {
  certificate: string | undefined
  key: string | undefined
}

/** What TLS at the SMTP door is made of. */
export interface DoorTlsOptions {
  /** As it was read at the start. */
  first: DoorCertificate
  /** As it is now: who renews certificates puts new files in the place of the old. May throw. */
  read: () => DoorCertificate
  clock: Clock
  log: Log
}

const lookAgainMs = 60_000

/**
 * TLS at the SMTP door: what is returned gives each handshake the newest certificate that works. Throws an
 * AppError where the first one doesn't. Of later ones that don't the log is told, and the last one stays.
 */
export function openDoorTls({ first, read, clock, log }: DoorTlsOptions): () => SecureContext {
  let context = createContext(first)
  let inForce = first
  let lookedAt = clock.now()
  let problem: string | undefined
  const renew = () => {
    try {
      const found = read()
      if (found.certificate !== inForce.certificate || found.key !== inForce.key) {
        context = createContext(found)
        inForce = found
        log.info('the SMTP door has a new certificate')
      }
      problem = undefined
    } catch (err) {
      const { message } = err as Error
      if (message !== problem) log.warn({ err }, 'the SMTP door keeps its old certificate')
      problem = message
    }
  }
  return () => {
    const now = clock.now()
    if (now - lookedAt >= lookAgainMs) {
      lookedAt = now
      renew()
    }
    return context
  }
}

function createContext({ certificate, key }: DoorCertificate): SecureContext {
  if (certificate === undefined || key === undefined) throw unfit('needs both', undefined)
  try {
    return createSecureContext({ cert: certificate, key })
  } catch (cause) {
    throw unfit(`does not work (${(cause as Error).message}) with`, cause)
  }
}

function unfit(what: string, cause: unknown): AppError {
  const message = `TLS at the SMTP door ${what} MAILYARD_SMTP_TLS_CERTIFICATE and MAILYARD_SMTP_TLS_KEY.`
  return new AppError('invalid', 'smtp_certificate', message, { cause })
}
