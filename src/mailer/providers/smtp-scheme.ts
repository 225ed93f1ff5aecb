import { domainToASCII } from 'node:url'
import { DsnError } from '../grammar/dsn-error.ts'
import { Secret } from '../secret.ts'
import type { SmtpCredentials, SmtpSettings, TlsMode } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'
import type { SmtpScheme } from './provider.ts'
import {
  peerTrustNames,
  readPeerTrust,
  readSessionOptions,
  sessionOptionNames,
} from './smtp-options.ts'

const plainPort = 25
const implicitTlsPort = 465

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
      dsn.warn('"default" is a host like any other for this scheme; write the name of your server.')
    return {
      host: asciiHost(dsn.host),
      port: dsn.port ?? (tls === 'implicit' ? implicitTlsPort : plainPort),
      tls,
      trust: readPeerTrust(dsn),
      credentials,
      headers: [],
      ...readSessionOptions(dsn),
    } satisfies SmtpSettings
  },
}

/** The host as a connection takes it: ASCII, an IPv6 address without its brackets. */
export function asciiHost(host: string): string {
  if (host.startsWith('[')) return host.slice(1, -1)
  // domainToASCII would also rewrite 127.1 and the like; those stay as they were written.
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : domainToASCII(host)
}

function readTlsMode({ scheme, host, port, options }: DsnReader): TlsMode {
  const isAutomatic = options.boolean('auto_tls') ?? true
  const isRequired = options.boolean('require_tls') ?? false
  if (scheme === 'smtps') return 'implicit'
  if (!isAutomatic) {
    if (isRequired)
      throw new DsnError('contradiction', 'auto_tls=0 and require_tls=1 contradict each other.')
    return 'none'
  }
  // Symfony's rule: without a port, everything but the very word "localhost" is taken for TLS on 465.
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
    warn('The user "0" counts as no user, as in Symfony Mailer: there is no log-in.')
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
