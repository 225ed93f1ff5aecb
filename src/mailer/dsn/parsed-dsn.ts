import type { ApiAdapter } from '../api/api-adapter.ts'
import type { Secret } from '../secret.ts'
import type { SmtpSettings } from '../smtp/smtp-settings.ts'

interface ParsedSingle {
  /** As written, aliases too. */
  readonly scheme: string
  /** The provider's folder name; null for a server that is none of a known provider's. */
  readonly provider: string | null
  /** As written; an IPv6 address keeps its brackets. */
  readonly host: string
  readonly port: number | null
  /** The user name where it is no secret. */
  readonly username: string | null
  /** Whatever must not be shown: password, key, token, secret options. */
  readonly secrets: readonly Secret[]
  /** Decoded, by name (`peer_fingerprint[sha256]`); those that hold a secret are `********`. */
  readonly options: Readonly<Record<string, string>>
  /** Scheme, host and port, without user: fit for logs. */
  readonly label: string
}

/** A DSN whose messages leave over SMTP. */
export interface ParsedSmtpDsn extends ParsedSingle {
  readonly kind: 'smtp'
  readonly settings: SmtpSettings
}

/** A DSN whose messages leave over a provider's API. */
export interface ParsedApiDsn extends ParsedSingle {
  readonly kind: 'api'
  readonly adapter: ApiAdapter
  readonly maxPerSecond: number | null
}

/** `null://`: accepts and drops. */
export interface ParsedNullDsn extends ParsedSingle {
  readonly kind: 'null'
}

/** `inbox://local`: captures, and sends nothing. */
export interface ParsedInboxDsn extends ParsedSingle {
  readonly kind: 'inbox'
}

/** `sendmail://`: the operator's one command. */
export interface ParsedCommandDsn extends ParsedSingle {
  readonly kind: 'command'
}

/** `failover(…)` or `roundrobin(…)`. */
export interface ParsedListDsn {
  readonly kind: 'failover' | 'roundrobin'
  readonly members: readonly ParsedDsn[]
  /** How long a member that failed is left out. */
  readonly retryPeriodMs: number
  readonly label: string
}

/** One transport. */
export type ParsedSingleDsn =
  | ParsedSmtpDsn
  | ParsedApiDsn
  | ParsedNullDsn
  | ParsedInboxDsn
  | ParsedCommandDsn

/** What a DSN means, ready to be opened. */
export type ParsedDsn = ParsedSingleDsn | ParsedListDsn
