/** A part of the text of a DSN, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** An option: its decoded value and the position of its raw value. */
export interface DsnOption {
  readonly value: string
  readonly span: Span
}

/** One `name=value` of a query, including those that a later one with the same name overrides. */
export interface DsnPair extends DsnOption {
  /** Decoded; may be empty. */
  readonly name: string
  readonly nameSpan: Span
  /** Whether it contains `=`. */
  readonly hasValue: boolean
}

/** One transport of a DSN: its decoded parts and their positions in the text. */
export interface SingleDsn {
  readonly type: 'single'
  readonly scheme: string
  /** Undefined when absent or empty. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** As written; an IPv6 address keeps its brackets. */
  readonly host: string
  readonly port: number | undefined
  /** By name. An array element has its full name (`peer_fingerprint[sha256]`). */
  readonly options: ReadonlyMap<string, DsnOption>
  /** Every pair of the query, in the order of the text. */
  readonly pairs: readonly DsnPair[]
  readonly span: Span
  readonly userSpan: Span | undefined
  readonly passwordSpan: Span | undefined
  /** The text between host and query; it is ignored. */
  readonly pathSpan: Span
  /** The text after `#`; it is ignored. */
  readonly fragmentSpan: Span
}

/** `failover(…)` or `roundrobin(…)`. */
export interface DsnList {
  readonly type: 'failover' | 'roundrobin'
  readonly members: readonly DsnNode[]
  /** Undefined when the DSN does not set it. */
  readonly retryPeriodSeconds: number | undefined
  readonly span: Span
}

/** A parsed DSN: one transport, or a list that may contain lists. */
export type DsnNode = SingleDsn | DsnList

/**
 * The rule that a DSN breaks.
 * @example
 * ```ts
 * const missing: DsnErrorCode[] = ['no_scheme', 'no_host', 'missing_user', 'missing_password']
 * const isIncomplete = ({ code }: DsnError) => missing.includes(code)
 * ```
 */
export type DsnErrorCode =
  | 'no_scheme'
  | 'no_host'
  | 'unsupported_scheme'
  | 'unknown_keyword'
  | 'unbalanced'
  | 'too_many_members'
  | 'trailing_text'
  | 'comma_in_list'
  | 'special_character'
  | 'control_character'
  | 'invalid_host'
  | 'invalid_port'
  | 'invalid_option'
  | 'contradiction'
  | 'missing_user'
  | 'missing_password'
  | 'misplaced_key'
  | 'forbidden'
  | 'unfilled_mask'
  | 'unprintable'

const partsByCode: Partial<Record<DsnErrorCode, string>> = {
  no_host: 'host',
  invalid_host: 'host',
  invalid_port: 'port',
  missing_user: 'user',
  missing_password: 'password',
  misplaced_key: 'user',
}

/**
 * A DSN that cannot be used. `message` is one sentence for the person who wrote the DSN. It says what to change, and
 * never holds a user name, a password or the value of an option.
 * @example
 * ```ts
 * try {
 *   parseDsn('smtp://user:pass/word@mail.example.com')
 * } catch (error) {
 *   if (error instanceof DsnError) console.log(error.code, error.message) // special_character …
 * }
 * ```
 */
export class DsnError extends Error {
  override readonly name = 'DsnError'
  readonly code: DsnErrorCode
  /** The part that is wrong: `user`, `password`, `host`, `port` or the name of an option. Undefined if it is not one. */
  readonly part: string | undefined

  constructor(code: DsnErrorCode, message: string, part = partsByCode[code]) {
    super(message)
    this.code = code
    this.part = part
  }
}

/** Returns scheme, host and port of each transport: safe for logs. */
export function labelOf(node: DsnNode): string {
  if (node.type !== 'single') return `${node.type}(${node.members.map(labelOf).join(' ')})`
  return `${node.scheme}://${node.host}${node.port === undefined ? '' : `:${node.port}`}`
}
