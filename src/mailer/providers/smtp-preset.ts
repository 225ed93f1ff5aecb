import { Secret } from '../secret.ts'
import type { SmtpCredentials, SmtpSettings } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'
import type { SmtpScheme } from './provider.ts'
import { readSessionOptions, sessionOptionNames } from './smtp-options.ts'

/** A provider's SMTP server and how one logs in there. */
export interface SmtpPreset {
  readonly names: readonly string[]
  /** A fixed host, or one that depends on the DSN (`region`). */
  readonly host: string | ((dsn: DsnReader) => string)
  readonly port: number | ((dsn: DsnReader) => number)
  /** Known providers all have TLS, so it is never opportunistic. */
  readonly tls: 'implicit' | 'starttls'
  /** Which parts of the DSN are the user name and the password. */
  readonly login: (dsn: DsnReader) => SmtpLogin
  readonly isUserSecret?: boolean
  /** Besides those of every SMTP session. */
  readonly publicOptions?: readonly string[]
  /** The idle time after which the provider drops a connection, where it is short. */
  readonly pingAfterSeconds?: number
  readonly headers?: (dsn: DsnReader) => SmtpSettings['headers']
}

/** A user name and a password, decoded. */
export interface SmtpLogin {
  readonly user: string
  readonly password: string
}

/** Both from the DSN. */
export function ownLogin(dsn: DsnReader): SmtpLogin {
  return {
    user: dsn.requireUser('the SMTP user name'),
    password: dsn.requirePassword('the SMTP password'),
  }
}

/** The DSN's user part is the one secret; the user name is the provider's word, or the secret again. */
export function keyLogin(what: string, user?: string): (dsn: DsnReader) => SmtpLogin {
  return (dsn) => {
    const key = dsn.requireUser(what)
    return { user: user ?? key, password: key }
  }
}

/** The SMTP scheme of a provider. As in Symfony, host and port of the DSN mean nothing for it. */
export function smtpPreset(preset: SmtpPreset): SmtpScheme {
  return {
    kind: 'smtp',
    names: preset.names,
    isUserSecret: preset.isUserSecret ?? false,
    publicOptions: [...sessionOptionNames, ...(preset.publicOptions ?? [])],
    read(dsn) {
      const host = typeof preset.host === 'string' ? preset.host : preset.host(dsn)
      if (typeof preset.host === 'string' && !dsn.hasDefaultHost && dsn.host !== host)
        dsn.warn(`The host of the DSN is not used; ${dsn.scheme} always connects to ${host}.`)
      return {
        host,
        port: typeof preset.port === 'number' ? preset.port : preset.port(dsn),
        tls: preset.tls,
        trust: { isVerified: true, fingerprints: [] },
        credentials: credentialsOf(preset.login(dsn)),
        headers: preset.headers?.(dsn) ?? [],
        ...readSessionOptions(dsn, preset.pingAfterSeconds),
      } satisfies SmtpSettings
    },
  }
}

function credentialsOf({ user, password }: SmtpLogin): SmtpCredentials {
  return { user: new Secret(user), password: new Secret(password), accessToken: null }
}
