import { DsnError } from '../grammar/dsn-error.ts'
import { encodePercent } from '../grammar/percent.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'

/** One transport in fields, as a form has them; nothing is percent-encoded. */
export interface SingleDsnFields {
  readonly scheme: string
  readonly host: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly options?: Readonly<Record<string, string | number | boolean>>
}

/** A list in fields. */
export interface ListDsnFields {
  readonly scheme: 'failover' | 'roundrobin'
  readonly members: readonly DsnFields[]
  readonly retryPeriodSeconds?: number
}

export type DsnFields = SingleDsnFields | ListDsnFields

/** Builds the DSN of fields and parses it for proof. Throws DsnError where the fields make no valid one. */
export function buildDsn(fields: DsnFields, options: ParseDsnOptions = {}): string {
  const text = print(fields)
  parseDsn(text, options)
  return text
}

function print(fields: DsnFields): string {
  if (!('members' in fields)) return printSingle(fields)
  const period =
    fields.retryPeriodSeconds === undefined ? '' : `?retry_period=${fields.retryPeriodSeconds}`
  return `${fields.scheme}(${fields.members.map(print).join(' ')})${period}`
}

function printSingle({
  scheme,
  host,
  port,
  user = '',
  password = '',
  options = {},
}: SingleDsnFields) {
  // What would end the host early would move the rest of the DSN into another part.
  if (/[\s/?#@()]/.test(host))
    throw new DsnError('invalid_host', 'The host contains a character that no host name has.')
  const login =
    password === '' ? encodePercent(user) : `${encodePercent(user)}:${encodePercent(password)}`
  const query = Object.entries(options)
    .map(([name, value]) => `${encodeName(name)}=${encodePercent(optionText(value))}`)
    .join('&')
  return [
    `${scheme}://`,
    login === '' ? '' : `${login}@`,
    host.includes(':') && !host.startsWith('[') ? `[${host}]` : host,
    port === undefined ? '' : `:${port}`,
    query === '' ? '' : `?${query}`,
  ].join('')
}

/** The brackets of `peer_fingerprint[sha256]` stay readable. */
function encodeName(name: string): string {
  return encodePercent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}

function optionText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
