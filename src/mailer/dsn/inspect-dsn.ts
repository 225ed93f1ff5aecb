import { DsnError } from '../grammar/dsn-error.ts'
import type { TlsMode } from '../smtp/smtp-settings.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'
import type { ParsedApiDsn, ParsedDsn, ParsedListDsn, ParsedSmtpDsn } from './parsed-dsn.ts'

/** What a DSN means, without its secrets. */
export interface InspectedTransport {
  /** As written; `failover` or `roundrobin` for a list. */
  readonly scheme: string
  readonly kind: 'smtp' | 'api' | 'null' | 'inbox' | 'failover' | 'roundrobin'
  readonly provider: string | null
  /** Where it connects, so the provider's host for `default`; null where there is no connection. */
  readonly host: string | null
  readonly port: number | null
  readonly tls: TlsMode
  /** Null where there is none or where it is a secret. */
  readonly username: string | null
  /** As given, decoded; secret ones are `********`. A list has `retry_period` in seconds. */
  readonly options: Readonly<Record<string, string>>
  /** Empty but for a list. */
  readonly members: readonly InspectedTransport[]
}

/** The answer to "would this DSN work, and what would it do". */
export type DsnInspection =
  | {
      readonly valid: true
      readonly transport: InspectedTransport
      readonly warnings: readonly string[]
    }
  | { readonly valid: false; readonly error: string }

/** Says what a DSN means, or in one sentence what is wrong with it. It connects to nothing. */
export function inspectDsn(text: string, options: ParseDsnOptions = {}): DsnInspection {
  const warnings: string[] = []
  try {
    const parsed = parseDsn(text, { ...options, warnings })
    return { valid: true, transport: inspectParsed(parsed), warnings: [...new Set(warnings)] }
  } catch (error) {
    if (error instanceof DsnError) return { valid: false, error: error.message }
    throw error
  }
}

/** What a parsed DSN means, without its secrets. */
export function inspectParsed(parsed: ParsedDsn): InspectedTransport {
  switch (parsed.kind) {
    case 'smtp':
      return inspectSmtp(parsed)
    case 'api':
      return inspectApi(parsed)
    case 'failover':
    case 'roundrobin':
      return inspectList(parsed)
    case 'null':
    case 'inbox':
    case 'command':
      return {
        scheme: parsed.scheme,
        // A command speaks to nobody but the machine's own mail system.
        kind: parsed.kind === 'command' ? 'smtp' : parsed.kind,
        provider: null,
        host: null,
        port: null,
        tls: 'none',
        username: null,
        options: parsed.options,
        members: [],
      }
  }
}

function inspectSmtp(parsed: ParsedSmtpDsn): InspectedTransport {
  const { host, port, tls } = parsed.settings
  return { ...shared(parsed), kind: 'smtp', host, port, tls }
}

function inspectApi(parsed: ParsedApiDsn): InspectedTransport {
  const { hostname, port } = new URL(parsed.adapter.endpoint)
  return {
    ...shared(parsed),
    kind: 'api',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 443 : Number(port),
    tls: 'implicit',
  }
}

function shared(parsed: ParsedSmtpDsn | ParsedApiDsn) {
  const { scheme, provider, username, options } = parsed
  return { scheme, provider, username, options, members: [] }
}

function inspectList(parsed: ParsedListDsn): InspectedTransport {
  return {
    scheme: parsed.kind,
    kind: parsed.kind,
    provider: null,
    host: null,
    port: null,
    tls: 'none',
    username: null,
    options: { retry_period: String(parsed.retryPeriodMs / 1000) },
    members: parsed.members.map(inspectParsed),
  }
}
