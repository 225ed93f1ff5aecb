import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Fingerprint, PeerTrust } from '../connect/endpoint.ts'
import { percentOf } from '../grammar/characters.ts'
import { DsnError } from '../grammar/dsn.ts'
import { Secret } from '../secret.ts'
import type { SmtpCredentials, SmtpSettings, TlsMode } from '../smtp/smtp-settings.ts'
import { asciiHost, type DsnReader, invalidOption, type OptionReader } from './dsn-reader.ts'
import type { SmtpScheme } from './provider.ts'

const restartThreshold = 100
const pingThresholdSeconds = 100

/** The options that `readSessionOptions` reads. */
export const sessionOptionNames = [
  'dkim',
  'local_domain',
  'max_per_second',
  'ping_threshold',
  'restart_threshold',
  'restart_threshold_sleep',
  'return_path',
  'source_ip',
]

/** The options that `readPeerTrust` reads. */
export const peerTrustNames = ['peer_fingerprint', 'verify_peer']

/** The settings of a scheme whose log-in is not OAuth. */
export const withoutOAuth = { oauth: null, maxPerMinute: null, connectionsMax: null }

/** The session options of every SMTP scheme. They do not concern TLS. */
type SessionOptions = Pick<
  SmtpSettings,
  | 'localDomain'
  | 'messagesPerConnection'
  | 'restartPauseMs'
  | 'pingAfterMs'
  | 'maxPerSecond'
  | 'sourceAddress'
  | 'signsDkim'
  | 'hasReturnPath'
>

/**
 * Reads the session options.
 * @param pingAfterSeconds The default of `ping_threshold`.
 */
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
    signsDkim: options.boolean('dkim') ?? true,
    hasReturnPath: options.boolean('return_path') ?? false,
  }
}

/**
 * Reads `max_per_second`.
 * @returns Null for no limit, which is written as 0 or left out.
 */
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
  const character = /[^A-Za-z0-9._\-\u0080-\uffff]/.exec(value)?.[0]
  const reason =
    character === undefined ? '' : `; it contains "${character}" (${percentOf(character)})`
  throw invalidOption(
    'local_domain',
    character === ';'
      ? 'contains ";" (%3B); options are separated by "&".'
      : `must be a host name or an address${reason}.`,
  )
}

function readSourceAddress(options: OptionReader): string | null {
  const value = options.text('source_ip')
  if (value === undefined || value === '') return null
  const address = value.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0) return address
  throw invalidOption('source_ip', 'must be an IP address.')
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
      'verify_peer is off: the connection can be intercepted, with the password and the messages. To trust one certificate, use peer_fingerprint.',
    )
  return { isVerified, fingerprints }
}

function readFingerprint(key: string, value: string): Fingerprint {
  const hex = value.replaceAll(':', '').toLowerCase()
  const algorithm = /^[0-9a-f]+$/.test(hex) ? digestLengths[hex.length] : undefined
  if (algorithm === undefined || (key !== '' && key !== algorithm))
    throw invalidOption(
      'peer_fingerprint',
      'must be the hexadecimal md5, sha1 or sha256 of the certificate, as peer_fingerprint[sha256]=….',
    )
  return { algorithm, hex }
}

const plainPort = 25
/** The port of TLS from the start. */
export const implicitTlsPort = 465

/** `smtp://` and `smtps://`, with the defaults and TLS rules of Symfony's EsmtpTransport. */
export const smtpScheme: SmtpScheme = {
  kind: 'smtp',
  names: ['smtp', 'smtps'],
  isUserSecret: false,
  publicOptions: ['auto_tls', 'require_tls', ...peerTrustNames, ...sessionOptionNames],
  read(dsn) {
    const tls = readTlsMode(dsn)
    const credentials = readCredentials(dsn)
    if (dsn.hasDefaultHost)
      dsn.warn('"default" has no special meaning for this scheme; write the name of your server.')
    return {
      host: asciiHost(dsn.host),
      port: dsn.port ?? (tls === 'implicit' ? implicitTlsPort : plainPort),
      tls,
      trust: readPeerTrust(dsn),
      credentials,
      ...withoutOAuth,
      headers: [],
      ...readSessionOptions(dsn),
    } satisfies SmtpSettings
  },
}

function readTlsMode({ scheme, host, port, options }: DsnReader): TlsMode {
  const isAutomatic = options.boolean('auto_tls') ?? true
  const isRequired = options.boolean('require_tls') ?? false
  if (scheme === 'smtps') return 'implicit'
  if (!isAutomatic) {
    if (isRequired)
      throw new DsnError(
        'contradiction',
        'auto_tls=0 and require_tls=1 contradict each other.',
        'require_tls',
      )
    return 'none'
  }
  // Symfony's rule: without a port, every host but "localhost" means TLS on port 465.
  if (port === implicitTlsPort || (port === undefined && host !== 'localhost')) return 'implicit'
  return isRequired ? 'starttls' : 'opportunistic'
}

function readCredentials({ user, password, options, warn }: DsnReader): SmtpCredentials | null {
  const token = options.text('accessToken') ?? ''
  if (user === undefined && (password !== undefined || token !== ''))
    throw new DsnError(
      'missing_user',
      'The DSN has a password but no user; write smtp://USER:PASSWORD@….',
    )
  if (user === undefined) return null
  if (user === '0') {
    warn('The user "0" counts as no user, as in Symfony Mailer. No log-in is attempted.')
    return null
  }
  if (password === undefined && token === '')
    warn('The DSN has a user but no password; the log-in will fail.')
  return {
    user: new Secret(user),
    password: password === undefined ? null : new Secret(password),
    accessToken: token === '' ? null : new Secret(token),
  }
}
