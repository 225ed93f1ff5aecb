import { Secret } from '../secret.ts'
import type { SmtpCredentials, SmtpSettings } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'
import type { SmtpScheme } from './provider.ts'
import { implicitTlsPort, readSessionOptions, sessionOptionNames } from './smtp-scheme.ts'

/** The SMTP server of a provider and its log-in. */
interface SmtpPreset {
  readonly names: readonly string[]
  /** A fixed host, or one that depends on the DSN (for example on `region`). */
  readonly host: string | ((dsn: DsnReader) => string)
  readonly port: number | ((dsn: DsnReader) => number)
  /**
   * Default: implicit for the port 465. Never opportunistic, because every known provider offers TLS.
   */
  readonly tls?: 'implicit' | 'starttls'
  /** Reads user name and password from the DSN. Default: from its user and password part. */
  readonly login?: (dsn: DsnReader) => SmtpLogin
  readonly isUserSecret?: boolean
  /** In addition to the session options. */
  readonly publicOptions?: readonly string[]
  /** The default of `ping_threshold`, for a provider that closes idle connections early. */
  readonly pingAfterSeconds?: number
  readonly headers?: (dsn: DsnReader) => SmtpSettings['headers']
}

/** A user name and a password, decoded. */
export interface SmtpLogin {
  readonly user: string
  readonly password: string
}

/** Reads user name and password from the DSN. */
export function ownLogin(dsn: DsnReader): SmtpLogin {
  return {
    user: dsn.requireUser('the SMTP user name'),
    password: dsn.requirePassword('the SMTP password'),
  }
}

/** Creates a log-in whose password is the user part of the DSN. The user name is fixed, or the same key. */
export function keyLogin(description: string, user?: string): (dsn: DsnReader) => SmtpLogin {
  return (dsn) => {
    const key = dsn.requireUser(description)
    return { user: user ?? key, password: key }
  }
}

/** Creates the SMTP scheme of a provider. As in Symfony, host and port of the DSN are ignored. */
export function smtpPreset(preset: SmtpPreset): SmtpScheme {
  return {
    kind: 'smtp',
    names: preset.names,
    isUserSecret: preset.isUserSecret ?? false,
    publicOptions: [...sessionOptionNames, ...(preset.publicOptions ?? [])],
    read(dsn) {
      const host = typeof preset.host === 'string' ? preset.host : preset.host(dsn)
      const port = typeof preset.port === 'number' ? preset.port : preset.port(dsn)
      const { login = ownLogin } = preset
      return {
        host,
        port,
        tls: preset.tls ?? (port === implicitTlsPort ? 'implicit' : 'starttls'),
        trust: { isVerified: true, fingerprints: [] },
        credentials: credentialsOf(login(dsn)),
        oauth: null,
        maxPerMinute: null,
        connectionsMax: null,
        headers: preset.headers?.(dsn) ?? [],
        ...readSessionOptions(dsn, preset.pingAfterSeconds),
      } satisfies SmtpSettings
    },
  }
}

function credentialsOf({ user, password }: SmtpLogin): SmtpCredentials {
  return { user: new Secret(user), password: new Secret(password), accessToken: null }
}
