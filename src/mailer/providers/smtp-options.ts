import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { DsnError } from '../grammar/dsn-error.ts'
import { percentOf } from '../grammar/percent.ts'
import type { Fingerprint, PeerTrust, SmtpSettings } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'
import type { OptionReader } from './option-reader.ts'

const restartThreshold = 100
const pingThresholdSeconds = 100

/** What `readSessionOptions` reads. */
export const sessionOptionNames = [
  'local_domain',
  'max_per_second',
  'ping_threshold',
  'restart_threshold',
  'restart_threshold_sleep',
  'source_ip',
]

/** What `readPeerTrust` reads. */
export const peerTrustNames = ['peer_fingerprint', 'verify_peer']

/** The options of a session that have nothing to do with TLS; every SMTP scheme takes them. */
export type SessionOptions = Pick<
  SmtpSettings,
  | 'localDomain'
  | 'messagesPerConnection'
  | 'restartPauseMs'
  | 'pingAfterMs'
  | 'maxPerSecond'
  | 'sourceAddress'
>

/** Reads them; `pingAfterSeconds` is the provider's own idle time where it has one. */
export function readSessionOptions(
  { options }: DsnReader,
  pingAfterSeconds = pingThresholdSeconds,
): SessionOptions {
  const threshold = options.integer('restart_threshold')
  const pauseSeconds = options.integer('restart_threshold_sleep') ?? 0
  return {
    localDomain: readLocalDomain(options),
    // Symfony's page says that 0 is "never", though its code then reconnects after every message.
    messagesPerConnection: threshold === 0 ? Infinity : (threshold ?? restartThreshold),
    restartPauseMs: threshold === undefined ? 0 : pauseSeconds * 1000,
    pingAfterMs: (options.integer('ping_threshold') ?? pingAfterSeconds) * 1000,
    maxPerSecond: readRate(options),
    sourceAddress: readSourceAddress(options),
  }
}

/** `max_per_second`, where 0 means no limit. */
export function readRate(options: OptionReader, name = 'max_per_second'): number | null {
  const rate = options.decimal(name)
  return rate === undefined || rate === 0 ? null : rate
}

function readLocalDomain(options: OptionReader): string | null {
  const value = options.text('local_domain')
  if (value === undefined || value === '') return null
  if (/^[A-Za-z][A-Za-z0-9._-]*$/.test(value)) return value
  const bare = value.replace(/^\[(IPv6:)?(.*)\]$/i, '$2')
  if (isIP(bare) !== 0) return isIPv6(bare) ? `[IPv6:${bare}]` : `[${bare}]`
  const name = domainToASCII(value)
  if (/^[A-Za-z0-9._-]+$/.test(name)) return name
  const found = /[^A-Za-z0-9._\-\u0080-\uffff]/.exec(value)?.[0] ?? ''
  throw new DsnError(
    'invalid_option',
    found === ';'
      ? 'The option local_domain contains ";" (%3B); options are separated by "&".'
      : `The option local_domain must be a host name or an address${found === '' ? '' : `; it contains "${found}" (${percentOf(found)})`}.`,
  )
}

function readSourceAddress(options: OptionReader): string | null {
  const value = options.text('source_ip')
  if (value === undefined || value === '') return null
  const address = value.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0) return address
  throw new DsnError('invalid_option', 'The option source_ip must be an IP address.')
}

const digestLengths: Record<number, Fingerprint['algorithm']> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
}

/** Reads `verify_peer` and `peer_fingerprint`. */
export function readPeerTrust({ options, warn }: DsnReader): PeerTrust {
  const isVerified = options.boolean('verify_peer') ?? true
  const fingerprints = [...options.keyed('peer_fingerprint')].map(([key, value]) =>
    readFingerprint(key, value),
  )
  if (!isVerified && fingerprints.length === 0)
    warn(
      'verify_peer is off: anybody between here and the server can read the password and the messages. peer_fingerprint is the safe way to trust one certificate.',
    )
  return { isVerified, fingerprints }
}

function readFingerprint(key: string, value: string): Fingerprint {
  const hex = value.replaceAll(':', '').toLowerCase()
  const algorithm = /^[0-9a-f]+$/.test(hex) ? digestLengths[hex.length] : undefined
  if (algorithm === undefined || (key !== '' && key !== algorithm))
    throw new DsnError(
      'invalid_option',
      'The option peer_fingerprint must be the hexadecimal md5, sha1 or sha256 of the certificate, as peer_fingerprint[sha256]=….',
    )
  return { algorithm, hex }
}
