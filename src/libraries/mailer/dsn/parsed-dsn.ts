import type { ApiAdapter } from '../api/api-adapter.ts'
import { asciiHost } from '../providers/dsn-reader.ts'
import type { Secret } from '../secret.ts'
import type { SmtpSettings } from '../smtp/smtp-settings.ts'

interface ParsedSingle {
  /** As written, including aliases. */
  readonly scheme: string
  /** The name of the provider's folder; null when the server is not one of a known provider. */
  readonly provider: string | null
  /** As written; an IPv6 address keeps its brackets. */
  readonly host: string
  readonly port: number | null
  /** The user name, unless it is a secret. */
  readonly username: string | null
  /** Everything that must not be shown: password, key, token, secret options. */
  readonly secrets: readonly Secret[]
  /** Decoded, by name (`peer_fingerprint[sha256]`); secret ones are `********`. */
  readonly options: Readonly<Record<string, string>>
  /** Scheme, host and port, without user: safe for logs. */
  readonly label: string
}

/** A DSN that sends over SMTP. */
export interface ParsedSmtpDsn extends ParsedSingle {
  readonly kind: 'smtp'
  readonly settings: SmtpSettings
}

/** A DSN that sends over a provider's API. */
export interface ParsedApiDsn extends ParsedSingle {
  readonly kind: 'api'
  readonly adapter: ApiAdapter
  readonly maxPerSecond: number | null
}

/**
 * `null://` discards every message, `inbox://local` captures it, and `sendmail://` and `native://` run the configured
 * command.
 */
export interface ParsedLocalDsn extends ParsedSingle {
  readonly kind: 'null' | 'inbox' | 'command'
  /** See `SmtpSettings`. */
  readonly hasReturnPath: boolean
}

/** `failover(…)` or `roundrobin(…)`. */
export interface ParsedListDsn {
  readonly kind: 'failover' | 'roundrobin'
  readonly members: readonly ParsedDsn[]
  /** How long a failed member is skipped. */
  readonly retryPeriodMs: number
  readonly label: string
}

/** One transport. */
export type ParsedSingleDsn = ParsedSmtpDsn | ParsedApiDsn | ParsedLocalDsn

/**
 * A parsed DSN: one transport, or a list of them.
 * @example
 * ```ts
 * const hostsOf = (dsn: ParsedDsn): string[] =>
 *   'members' in dsn ? dsn.members.flatMap(hostsOf) : [dsn.host]
 * ```
 */
export type ParsedDsn = ParsedSingleDsn | ParsedListDsn

/** Returns the server that a transport connects to; undefined where there is none. */
export function serverOf(
  parsed: ParsedSingleDsn,
): Pick<SmtpSettings, 'host' | 'port' | 'tls'> | undefined {
  if (parsed.kind === 'smtp') return parsed.settings
  if (parsed.kind !== 'api') return undefined
  const { hostname, port } = new URL(parsed.adapter.endpoint)
  return { host: asciiHost(hostname), port: Number(port) || 443, tls: 'implicit' }
}
