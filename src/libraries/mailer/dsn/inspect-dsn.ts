import { DsnError } from '../grammar/dsn.ts'
import type { TlsMode } from '../smtp/smtp-settings.ts'
import { type EndingLogin, listEndingLogins } from './ending-logins.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'
import { type ParsedDsn, serverOf } from './parsed-dsn.ts'

/**
 * The meaning of a DSN, without its secrets.
 * @example
 * ```ts
 * const describe = ({ kind, host, port, tls }: InspectedTransport) => `${kind} to ${host}:${port}, TLS ${tls}`
 * ```
 */
export interface InspectedTransport {
  /** As written, including aliases; `failover` or `roundrobin` for a list. */
  readonly scheme: string
  readonly kind: 'smtp' | 'api' | 'null' | 'inbox' | 'failover' | 'roundrobin'
  readonly provider: string | null
  /** The host that it connects to: for `default` the provider's own. Null when there is no connection. */
  readonly host: string | null
  readonly port: number | null
  readonly tls: TlsMode
  /** Null when there is none or when it is a secret. */
  readonly username: string | null
  /** Decoded; secret ones are `********`. A list has `retry_period` in seconds. */
  readonly options: Readonly<Record<string, string>>
  /** The members of a list; empty for a single transport. */
  readonly members: readonly InspectedTransport[]
}

/**
 * Whether a DSN is valid, and what it means.
 * @example
 * ```ts
 * const summary = (inspection: DsnInspection) =>
 *   inspection.valid ? inspection.warnings.join(' ') : inspection.error
 * ```
 */
export type DsnInspection =
  | {
      readonly valid: true
      readonly transport: InspectedTransport
      readonly warnings: readonly string[]
      /** The log-ins that stop working; `warnings` has a sentence about each. */
      readonly endingLogins: readonly EndingLogin[]
    }
  | { readonly valid: false; readonly error: string }

/**
 * Explains a DSN without connecting to anything.
 * @returns What the DSN means and its warnings, or one sentence that says what is wrong with it.
 * @example
 * ```ts
 * const inspection = inspectDsn('ses+api://KEY:SECRET@default?region=eu-central-1')
 * if (inspection.valid) console.log(inspection.transport.host) // email.eu-central-1.amazonaws.com
 * else console.log(inspection.error)
 * ```
 */
export function inspectDsn(text: string, options: ParseDsnOptions = {}): DsnInspection {
  const warnings: string[] = []
  try {
    const parsed = parseDsn(text, { ...options, warnings })
    return {
      valid: true,
      transport: inspectParsed(parsed),
      warnings: [...new Set(warnings)],
      endingLogins: listEndingLogins(parsed),
    }
  } catch (error) {
    if (error instanceof DsnError) return { valid: false, error: error.message }
    throw error
  }
}

/** What has no server of its own. */
const unconnected = {
  provider: null,
  host: null,
  port: null,
  tls: 'none',
  username: null,
  members: [],
} as const

/** Describes a parsed DSN without its secrets. */
export function inspectParsed(parsed: ParsedDsn): InspectedTransport {
  if ('members' in parsed)
    return {
      ...unconnected,
      scheme: parsed.kind,
      kind: parsed.kind,
      options: { retry_period: String(parsed.retryPeriodMs / 1000) },
      members: parsed.members.map(inspectParsed),
    }
  const { scheme, provider, username, options } = parsed
  // A command hands the message to the mail system of this machine.
  const kind = parsed.kind === 'command' ? 'smtp' : parsed.kind
  const server = serverOf(parsed)
  if (server === undefined) return { ...unconnected, scheme, kind, options }
  const { host, port, tls } = server
  return { scheme, kind, provider, host, port, tls, username, options, members: [] }
}
