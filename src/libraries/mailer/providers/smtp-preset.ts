import { Secret } from '../secret.ts'
import type { SmtpCredentials, SmtpSettings } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'
import {
  type PerDsn,
  type Provider,
  type SchemeNames,
  type SmtpScheme,
  valueFor,
} from './provider.ts'
import type { FormVariant, ProviderForm } from './provider-form.ts'
import { readSessionOptions, sessionOptionNames, withoutOAuth } from './smtp-scheme.ts'

/** The ports where providers speak TLS from the start. */
const implicitTlsPorts = [465, 2465]

/** The SMTP server of a provider and its log-in. Where `login` is set, the user part is a key unless it says otherwise. */
interface SmtpPreset extends SchemeNames {
  readonly host: PerDsn<string>
  readonly port: PerDsn<number>
  /** Default: implicit for `implicitTlsPorts`. Never opportunistic, because every known provider offers TLS. */
  readonly tls?: 'implicit' | 'starttls'
  /** Reads user name and password from the DSN. Default: from its user and password part. */
  readonly login?: (dsn: DsnReader) => SmtpLogin
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

/** Creates a log-in whose password is the password part of the DSN. The user part is ignored. */
export function passwordLogin(description: string, user: string): (dsn: DsnReader) => SmtpLogin {
  return (dsn) => ({ user, password: dsn.requirePassword(description) })
}

/** Creates the SMTP scheme of a provider. As in Symfony, a fixed host or port is not replaced by that of the DSN. */
export function smtpPreset(preset: SmtpPreset): SmtpScheme {
  const { names, form, login = ownLogin, publicOptions = [] } = preset
  return {
    kind: 'smtp',
    names,
    form,
    isUserSecret: preset.isUserSecret ?? preset.login !== undefined,
    ...(typeof preset.host === 'string' && { host: preset.host }),
    publicOptions: [...sessionOptionNames, ...publicOptions],
    read(dsn) {
      const host = valueFor(preset.host, dsn)
      const port = valueFor(preset.port, dsn)
      return {
        host,
        port,
        tls: preset.tls ?? (implicitTlsPorts.includes(port) ? 'implicit' : 'starttls'),
        trust: { isVerified: true, fingerprints: [] },
        credentials: credentialsOf(login(dsn)),
        ...withoutOAuth,
        headers: preset.headers?.(dsn) ?? [],
        ...readSessionOptions(dsn, preset.pingAfterSeconds),
      } satisfies SmtpSettings
    },
  }
}

/** A provider without an API: its server, its log-in and the fields of its form. */
interface SmtpProvider
  extends SmtpPreset,
    Pick<Provider, 'name' | 'title' | 'domains' | 'smtpHosts'>,
    Pick<ProviderForm, 'link'>,
    Pick<FormVariant, 'fields' | 'fixedUser'> {}

/** Creates a provider without an API. Each name with a "+" is a variant of its form. */
export function smtpProvider({ link, fields, fixedUser, ...provider }: SmtpProvider): Provider {
  const variants = provider.names
    .filter((name) => name.includes('+'))
    .map((scheme) => ({ scheme, fields, ...(fixedUser !== undefined && { fixedUser }) }))
  return { ...provider, form: { link, variants }, schemes: [smtpPreset(provider)] }
}

function credentialsOf({ user, password }: SmtpLogin): SmtpCredentials {
  return { user: new Secret(user), password: new Secret(password), accessToken: null }
}
