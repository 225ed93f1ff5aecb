import type { Cache } from '../cache.ts'
import type { Zones } from '../dates/zones.ts'
import type { NumberStyle } from '../php/number-format.ts'
import type { Value } from '../values/value.ts'

/** The settings of an engine or render that filters and functions read. */
export interface Settings {
  readonly strictVariables: boolean
  /** The IANA time zone of dates. */
  readonly timezone: string
  /** Formatters, style sheets and similar objects that are slow to create. */
  readonly kept: Cache<unknown>
  /** Finds time zones by name. */
  readonly zones: Zones
  /** The BCP 47 locale of names and formats. */
  readonly locale: string
  /** The default formats of `date`. */
  readonly dateFormat: { readonly date: string; readonly interval: string }
  /** The default format of `number_format`. */
  readonly numberFormat: NumberStyle
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
  /** Returns a number from 0 up to 1, for `random` and `shuffle`. */
  readonly random: () => number
  /** True when `dump` prints. */
  readonly debug: boolean
  /** Custom escaping strategies by name. */
  readonly escapers: ReadonlyMap<string, (text: string) => string>
  /** The constants for `constant()` by name. */
  readonly constants: ReadonlyMap<string, Value>
  /** The enums for `enum()` and `enum_cases()`: cases and their values by name. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, Value>>
  /** What sandboxed templates may use. Everything else is forbidden. */
  readonly sandbox: Readonly<Record<'tag' | 'filter' | 'function', ReadonlySet<string>>>
}
