import type { Zones } from '../dates/zones.ts'
import type { Value } from '../values/value.ts'
import type { Cache } from './cache.ts'

/** What a sandboxed template may use. What is not named is forbidden. */
interface SandboxPolicy {
  readonly tags: ReadonlySet<string>
  readonly filters: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
}

/** What an engine was told once and its filters and functions go by. */
export interface Settings {
  readonly strictVariables: boolean
  /** An IANA time zone: what dates are shown in. */
  readonly timezone: string
  /** Formatters, style sheets and the like, which take long to make. */
  readonly kept: Cache<unknown>
  /** Finds time zones by name. */
  readonly zones: Zones
  /** A BCP 47 locale: what names and formats of countries, money and dates follow. */
  readonly locale: string
  /** The formats of `date` where it is given none. */
  readonly dateFormat: { readonly date: string; readonly interval: string }
  /** The format of `number_format` where it is given none. */
  readonly numberFormat: {
    readonly decimals: number
    readonly point: string
    readonly separator: string
  }
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number
  /** A number from 0 up to 1: what `random` and `shuffle` go by. */
  readonly random: () => number
  /** Whether `dump` prints. */
  readonly debug: boolean
  /** Escaping strategies beyond Twig's own, by name. */
  readonly escapers: ReadonlyMap<string, (text: string) => string>
  /** What `constant()` finds, by name. */
  readonly constants: ReadonlyMap<string, Value>
  /** What `enum()` and `enum_cases()` find: cases and their values by name. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, Value>>
  readonly sandbox: SandboxPolicy
}
