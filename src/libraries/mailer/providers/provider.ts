import type { ApiAdapter } from '../api/api-adapter.ts'
import type { Fault } from '../delivery/fault.ts'
import type { ProviderDomains } from '../domains/provider-domains.ts'
import type { ProviderWebhooks } from '../events/provider-webhooks.ts'
import type { SmtpSettings } from '../smtp/smtp-settings.ts'
import { asciiHost, type DsnReader } from './dsn-reader.ts'
import type { FormVariant, ProviderForm } from './provider-form.ts'

export interface SchemeNames {
  /** The name of the scheme, then its aliases. */
  readonly names: readonly string[]
  /** Whether the user part is a key or token, which is masked like a password. Default: it is. */
  readonly isUserSecret?: boolean
  /**
   * Options whose values may be shown. Array elements are listed by the name of the array. `max_per_second` is always
   * public. The values of all other options are masked, even of unknown ones.
   */
  readonly publicOptions?: readonly string[]
  /** What a person fills in for it. */
  readonly form?: Omit<FormVariant, 'scheme'> | undefined
}

/** A scheme that sends over SMTP. `read` has no side effects and throws DsnError. */
export interface SmtpScheme extends SchemeNames {
  readonly kind: 'smtp'
  /** Its server, where that is the same for every DSN. */
  readonly host?: string
  read(dsn: DsnReader): SmtpSettings
}

/** A scheme that sends over the provider's HTTPS API. `read` has no side effects and throws DsnError. */
export interface ApiScheme extends SchemeNames {
  readonly kind: 'api'
  read(dsn: DsnReader): ApiAdapter
}

/** A scheme without a server: it discards messages, captures them, or runs the command that the operator configures. */
export interface LocalScheme extends SchemeNames {
  readonly kind: 'null' | 'inbox' | 'command'
}

/** A scheme of any kind. */
export type Scheme = SmtpScheme | ApiScheme | LocalScheme

/** The end of logging in to a provider's SMTP servers with a password. */
export interface PasswordsEnd {
  /** The day from which they end, as `2026-12-31`. */
  readonly date: string
  /** What the provider accepts from that day on: `From 31 December 2026 on, Microsoft 365 accepts ….` */
  readonly sentence: string
  /** The scheme of the transport that logs in with OAuth. */
  readonly oauthScheme: string
  /** Whether a password works from that day on, too. Default: none does. */
  readonly isKept?: (password: string) => boolean
}

/**
 * What a provider lets one kind of account send, in recipients. Null is not limited, or not published.
 * @example
 * ```ts
 * const isDaily = ({ perDay }: AccountLimitsDescription) => perDay !== null
 * ```
 */
export interface AccountLimitsDescription {
  /** The kind of account: `Sandbox`, `Free plan`. */
  readonly title: string
  readonly perSecond: number | null
  readonly perMinute: number | null
  readonly perDay: number | null
  readonly perMonth: number | null
  readonly connectionsMax: number | null
  /** The page of the provider with these numbers. */
  readonly link: string
}

/** The limits of one kind of account; what it lacks is null. */
export type AccountLimits = Pick<AccountLimitsDescription, 'title' | 'link'> &
  Partial<Record<keyof Omit<AccountLimitsDescription, 'title' | 'link'>, number>>

/** A mail provider. Its folder exports it and the registry lists it. */
export interface Provider {
  /** The folder's name. */
  readonly name: string
  /** The provider's name as it writes it. */
  readonly title: string
  readonly form: ProviderForm
  readonly schemes: readonly Scheme[]
  /**
   * The provider's SMTP hosts, in lower case, besides those of its schemes. For an `smtp://` DSN to one of them STARTTLS
   * is required and `advise` is called, as for the provider's own scheme.
   */
  readonly smtpHosts?: readonly (string | RegExp)[]
  readonly passwordsEnd?: PasswordsEnd
  /** The limits of its kinds of accounts, the smallest first: only published ones. */
  readonly accountLimits?: readonly AccountLimits[]
  /**
   * The secrets of a DSN, each of which stands for the account. A user name does not: anyone can write one. Default: the
   * password part, else the user part.
   */
  accountSecrets?(dsn: DsnReader): readonly string[]
  /** How it tells what happened to messages; undefined where Mailyard cannot read it. */
  readonly webhooks?: ProviderWebhooks
  /** What it signs with. */
  readonly domains: ProviderDomains
  /** The only domain that a DSN signs for, where the account of the DSN is that of one domain. Default: none. */
  accountDomain?(dsn: DsnReader): string | null
  /** Whether messages of a DSN are only checked or captured, and never delivered. Default: they are delivered. */
  isSandbox?(dsn: DsnReader): boolean
  /** Returns a better hint than the general one for a fault at this provider, or undefined. */
  advise?(fault: Fault): string | undefined
}

/** Returns the ways to send through a provider, in the order in which they are offered. */
export function variantsOf({ schemes, form: { variants = [] } }: Provider): FormVariant[] {
  const own = schemes.flatMap(({ kind, names, form }): FormVariant[] => {
    const name = names.find((each) => each.split('+')[1] === kind) ?? names[0] ?? ''
    return form === undefined ? [] : [{ scheme: name, ...form }]
  })
  return [...own, ...variants]
}

/** What is the same for every DSN of a scheme, or depends on the DSN. */
export type PerDsn<Value extends string | number> = Value | ((dsn: DsnReader) => Value)

/** Returns what applies to a DSN. */
export function valueFor<Value extends string | number>(
  value: PerDsn<Value>,
  dsn: DsnReader,
): Value {
  return typeof value === 'function' ? value(dsn) : value
}

/**
 * Creates the host of the region that a DSN names in an option: `api.mailgun.net` is `api.eu.mailgun.net` in `eu`.
 * @param standard The region of the host itself.
 */
export function regionHost(host: string, standard: string): PerDsn<string> {
  return ({ options }) => {
    const region = options.word('region') ?? standard
    return region === standard ? host : host.replace('.', `.${region}.`)
  }
}

/**
 * Returns the URL of an API: the provider's own host, or the host of the DSN, as in Symfony. In the schemes of Mautic's
 * plug-ins the host is ignored, because they write anything there.
 */
export function apiEndpoint(dsn: DsnReader, ownHost: string): string {
  if (isPlugin(dsn)) return `https://${ownHost}`
  return httpsEndpoint(dsn.hasDefaultHost ? ownHost : dsn.host, dsn.port)
}

/** Builds `https://host` or `https://host:port` for a host of a DSN. */
export function httpsEndpoint(dsnHost: string, port?: number): string {
  const host = asciiHost(dsnHost)
  const authority = host.includes(':') ? `[${host}]` : host
  return `https://${authority}${port === undefined ? '' : `:${port}`}`
}

/**
 * Returns an API key from the user part, or from the password part, where Mautic's plug-ins and some READMEs put it.
 */
export function apiKey(dsn: DsnReader, description: string): string {
  return dsn.user ?? dsn.password ?? dsn.requireUser(description)
}

/** Whether the scheme belongs to a plug-in of Mautic. */
export function isPlugin({ scheme }: DsnReader): boolean {
  return scheme.startsWith('mautic+')
}
