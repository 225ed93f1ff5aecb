import type { HostFilter, HostFunction, HostTest } from './callables/host-callables.ts'
import type { Limits } from './runtime/limits.ts'
import type { HostVariables } from './runtime/variables.ts'

/** Where templates come from: names to texts. It is asked anew in every render, so texts may change. */
export interface Loader {
  /** The text of a template, or undefined where there is none of that name. */
  get(name: string): string | undefined
  /** The names that it has, for "Did you mean …"; a `Map` has them. */
  keys?(): Iterable<string>
}

/** What may be said once for an engine, or for one render. */
export interface RenderOptions {
  /** Templates for `include`, `extends` and the others. None by default. */
  loader?: Loader
  /** Reading a variable or attribute that isn't there is an error. False by default: it is null. */
  strictVariables?: boolean
  /** An IANA time zone for dates. UTC by default. */
  timezone?: string
  /** A BCP 47 locale for names and formats. `en` by default. */
  locale?: string
  /** The current time. The clock's by default. */
  now?: Date | (() => Date)
  /** `dump()` prints. False by default. */
  debug?: boolean
  /** How much a render may use; what is not given has its default. */
  limits?: Partial<Limits>
  /** Numbers from 0 up to 1, for `random` and `shuffle`. `Math.random` by default. */
  random?: () => number
}

/** How everything printed is escaped: a strategy, the one that fits the template's name, or not at all. */
export type Autoescape =
  | 'html'
  | 'js'
  | 'css'
  | 'url'
  | 'html_attr'
  | 'name'
  | false
  | ((templateName: string | undefined) => string | false)

/** What an engine is made with. */
export interface TwigOptions extends RenderOptions {
  /** `'html'` by default. */
  autoescape?: Autoescape
  /** Variables of every template. */
  globals?: HostVariables
  /** Filters of one's own, by name. They get and give plain data. */
  filters?: Readonly<Record<string, HostFilter>>
  /** Functions of one's own, by name. */
  functions?: Readonly<Record<string, HostFunction>>
  /** Tests of one's own, by name. */
  tests?: Readonly<Record<string, HostTest>>
  /** Escaping strategies of one's own, by name. */
  escapers?: Readonly<Record<string, (text: string) => string>>
  /** What `constant()` finds besides PHP's own, by name. */
  constants?: Readonly<Record<string, unknown>>
  /** What `enum()` and `enum_cases()` find: cases and their values by name. */
  enums?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What sandboxed templates may use. Nothing by default. */
  sandbox?: {
    tags?: readonly string[]
    filters?: readonly string[]
    functions?: readonly string[]
  }
  /** The formats of the `date` filter where it is given none. Twig's by default. */
  dateFormat?: { date?: string; interval?: string }
  /** The format of the `number_format` filter where it is given none. Twig's by default. */
  numberFormat?: { decimals?: number; point?: string; separator?: string }
  /** How many compiled templates are kept, if they take no more than 64 MB. 500 by default. */
  cacheSize?: number
}
