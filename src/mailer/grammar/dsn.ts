/** A part of the DSN's text, from `start` up to but without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One option as it was read: its decoded value and where the raw value stands. */
export interface DsnOption {
  readonly value: string
  readonly span: Span
}

/** One `name=value` of a query as it stands in the text: also one that a later one of its name overrides. */
export interface DsnPair extends DsnOption {
  /** As `options` knows it; empty where there is none. */
  readonly name: string
  readonly nameSpan: Span
  /** Whether there is a `=`. */
  readonly hasValue: boolean
}

/** One transport of a DSN, percent-decoded, with the places of its parts in the text. */
export interface SingleDsn {
  readonly type: 'single'
  readonly scheme: string
  /** Undefined when absent or empty. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** As written; an IPv6 address keeps its brackets. */
  readonly host: string
  readonly port: number | undefined
  /** By name; an element of an array stands under its full name (`peer_fingerprint[sha256]`). */
  readonly options: ReadonlyMap<string, DsnOption>
  /** All of the query, in the order of the text. */
  readonly pairs: readonly DsnPair[]
  readonly span: Span
  readonly userSpan: Span | undefined
  readonly passwordSpan: Span | undefined
  /** What stands between the host and the query; it means nothing. */
  readonly pathSpan: Span
  /** What stands after a `#`; it means nothing. */
  readonly fragmentSpan: Span
}

/** `failover(…)` or `roundrobin(…)`. */
export interface DsnList {
  readonly type: 'failover' | 'roundrobin'
  readonly members: readonly DsnNode[]
  /** Undefined when the list does not say. */
  readonly retryPeriodSeconds: number | undefined
  readonly span: Span
}

export type DsnNode = SingleDsn | DsnList
