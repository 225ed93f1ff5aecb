import { encodePercent } from '../grammar/characters.ts'
import { DsnError } from '../grammar/dsn.ts'
import { secretMask } from '../secret.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'

/** The fields of one transport. Values are plain text, not percent-encoded. */
export interface SingleDsnFields {
  readonly scheme: string
  readonly host: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly options?: Readonly<Record<string, string | number | boolean>>
}

/** The fields of a list of transports. */
export interface ListDsnFields {
  readonly scheme: 'failover' | 'roundrobin'
  readonly members: readonly DsnFields[]
  readonly retryPeriodSeconds?: number
}

/**
 * The fields of a DSN: one transport or a list.
 * @example
 * ```ts
 * const fields: DsnFields = {
 *   scheme: 'failover',
 *   members: [
 *     { scheme: 'smtp', host: 'a.example.com', port: 587, user: 'shop', password: 'p@ss' },
 *     { scheme: 'smtp', host: 'b.example.com', port: 587, options: { require_tls: true } },
 *   ],
 * }
 * ```
 */
export type DsnFields = SingleDsnFields | ListDsnFields

/**
 * Builds a DSN from fields and percent-encodes the values.
 * @throws {DsnError} when the fields do not make a valid DSN.
 * @example
 * ```ts
 * buildDsn({ scheme: 'smtp', host: 'mail.example.com', port: 587, user: 'shop', password: 'p@ss' })
 * // smtp://shop:p%40ss@mail.example.com:587
 * ```
 */
export function buildDsn(fields: DsnFields, options: ParseDsnOptions = {}): string {
  const text = printDsn(fields)
  parseDsn(text, options)
  return text
}

/** Prints fields as a DSN, without checking it. A value that is the mask stays the mask. */
export function printDsn(fields: DsnFields): string {
  if (!('members' in fields)) return printSingle(fields)
  const period =
    fields.retryPeriodSeconds === undefined ? '' : `?retry_period=${fields.retryPeriodSeconds}`
  return `${fields.scheme}(${fields.members.map(printDsn).join(' ')})${period}`
}

function printSingle({
  scheme,
  host,
  port,
  user = '',
  password = '',
  options = {},
}: SingleDsnFields) {
  // Such a character would end the host and move the rest of the DSN into another part.
  if (/[\s/?#@()]/.test(host))
    throw new DsnError('invalid_host', 'The host contains a character that no host name has.')
  const login =
    password === '' ? encodeValue(user) : `${encodeValue(user)}:${encodeValue(password)}`
  const query = Object.entries(options)
    .map(([name, value]) => `${encodeName(name)}=${encodeValue(optionText(value))}`)
    .join('&')
  return [
    `${scheme}://`,
    login === '' ? '' : `${login}@`,
    host.includes(':') && !host.startsWith('[') ? `[${host}]` : host,
    port === undefined ? '' : `:${port}`,
    query === '' ? '' : `?${query}`,
  ].join('')
}

function encodeValue(value: string): string {
  return value === secretMask ? value : encodePercent(value)
}

/** Encodes an option name, but keeps the brackets of `peer_fingerprint[sha256]` readable. */
function encodeName(name: string): string {
  return encodePercent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}

function optionText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
