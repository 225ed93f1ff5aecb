import type { Limits } from './budget.ts'
import type { HostFilter, HostFunction, HostTest } from './callables/host-callables.ts'
import type { HostVariables } from './runtime/host-values.ts'

/**
 * Provides template sources by name. Every render asks it again, so sources may change.
 *
 * @example
 * ```ts
 * const sources = new Map([['footer', 'Bye, {{ name }}.']])
 * const loader: Loader = { get: (name) => sources.get(name), keys: () => sources.keys() }
 * createTwig({ loader }).render('footer', { name: 'Ada' }) // Bye, Ada.
 * ```
 */
export interface Loader {
  /** Returns the source of a template, or undefined when there is none. */
  get(name: string): string | undefined
  /**
   * Returns the full name of what `name` means in the template `from`, for names that are relative or mean different
   * templates in different places. `get` is asked for that. By default, a name means the same everywhere.
   */
  resolve?(name: string, from: string | undefined): string
  /** Lists the names for "Did you mean …" suggestions. A `Map` has this method. */
  keys?(): Iterable<string>
}

/**
 * Options of an engine that a single render can override.
 *
 * @example
 * ```ts
 * const options: RenderOptions = { locale: 'de', timezone: 'Europe/Berlin' }
 * createTwig().renderSource('{{ 1234.5|format_number }}', {}, options) // 1.234,5
 * ```
 */
export interface RenderOptions {
  /** Templates for `include`, `extends` and similar tags. None by default. */
  loader?: Loader
  /** True makes a missing variable or attribute an error. False by default: it is null. */
  strictVariables?: boolean
  /** The IANA time zone for dates. UTC by default. */
  timezone?: string
  /** The BCP 47 locale for names and formats. `en` by default. */
  locale?: string
  /** The current time. The system clock by default. */
  now?: Date | (() => Date)
  /** True lets `dump()` print. False by default. */
  debug?: boolean
  /** The limits of a render. Limits that are left out keep their defaults. */
  limits?: Partial<Limits>
  /** Returns numbers from 0 up to 1 for `random` and `shuffle`. `Math.random` by default. */
  random?: () => number
}

/**
 * Options of a lint.
 *
 * @example
 * ```ts
 * const options: LintOptions = { faultsMax: 1 }
 * createTwig().lint('{{ a|x }}{{ a|y }}', 'card', options).faults.length // 1
 * ```
 */
export interface LintOptions {
  /** Loads the templates that others refer to. That of the engine by default. */
  loader?: Loader
  /** Linting stops after this many faults, and reports as many warnings at most. 200 by default. */
  faultsMax?: number
}

/**
 * How printed values are escaped: a strategy, `'name'` (chosen by the template's extension), a
 * function, or false for no escaping.
 *
 * @example
 * ```ts
 * const autoescape: Autoescape = (name) => (name?.endsWith('.txt') ? false : 'html')
 * createTwig({ autoescape }).renderSource('{{ text }}', { text: '<b>' }) // &lt;b&gt;
 * ```
 */
export type Autoescape =
  | 'html'
  | 'js'
  | 'css'
  | 'url'
  | 'html_attr'
  | 'name'
  | false
  | ((templateName: string | undefined) => string | false)

/**
 * Options of `createTwig`.
 *
 * @example
 * ```ts
 * const options: TwigOptions = { globals: { shop: 'ACME' }, cacheSize: 100 }
 * createTwig(options).renderSource('{{ shop }}') // ACME
 * ```
 */
export interface TwigOptions extends RenderOptions {
  /** `'html'` by default. */
  autoescape?: Autoescape
  /** Variables of every template. */
  globals?: HostVariables
  /** Custom filters by name. They receive and return plain data. */
  filters?: Readonly<Record<string, HostFilter>>
  /** Custom functions by name. */
  functions?: Readonly<Record<string, HostFunction>>
  /** Custom tests by name. */
  tests?: Readonly<Record<string, HostTest>>
  /** Custom escaping strategies by name. */
  escapers?: Readonly<Record<string, (text: string) => string>>
  /** Constants for `constant()` by name, in addition to PHP's. */
  constants?: Readonly<Record<string, unknown>>
  /** Enums for `enum()` and `enum_cases()`: the cases and their values by name. */
  enums?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What sandboxed templates may use. Nothing by default. */
  sandbox?: {
    tags?: readonly string[]
    filters?: readonly string[]
    functions?: readonly string[]
  }
  /** The default formats of the `date` filter. Twig's by default. */
  dateFormat?: { date?: string; interval?: string }
  /** The default format of the `number_format` filter. Twig's by default. */
  numberFormat?: { decimals?: number; point?: string; separator?: string }
  /** The maximum number of cached templates. The cache is also limited to 32 MB. 500 by default. */
  cacheSize?: number
}
