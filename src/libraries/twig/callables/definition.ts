import { runtimeFault } from '../errors.ts'
import type { Frame, Render } from '../runtime/render.ts'
import { isCollection } from '../values/collections.ts'
import { toText, typeName } from '../values/conversions.ts'
import { Arrow, type Collection, type Value } from '../values/value.ts'

/** The escaping strategies that an output is already safe for. `all` means every strategy. */
export type SafeFor = readonly string[]

/** What filters, functions and tests have in common. */
interface Callable {
  readonly name: string
  readonly signature: Signature
  /** One line for the completion of an editor. Callables of the host have none. */
  readonly description?: string
  /** The lint warning for a deprecated callable. */
  readonly deprecation?: string
}

/**
 * A filter. `apply` receives the value left of the bar, then the arguments in the order of the
 * signature with defaults filled in. Variadic arguments follow one by one.
 */
export interface FilterDefinition extends Callable {
  readonly apply: (value: Value, args: readonly Value[], render: Render) => Value
  /**
   * The strategies that the result is safe for, whatever the input was. A function receives the
   * arguments that are constants.
   */
  readonly safeFor?: SafeFor | ((args: readonly (Value | undefined)[]) => SafeFor)
  /** The result is as safe as the input for these strategies. */
  readonly preservesSafety?: SafeFor
  /** The input may be missing. It is null then, without an error. */
  readonly acceptsMissing?: boolean
  /** The strategy that escapes the input before the filter is applied. */
  readonly preEscape?: string
}

/** A function. `call` receives its arguments like `apply` of a filter. */
export interface FunctionDefinition extends Callable {
  readonly call: (args: readonly Value[], render: Render, frame: Frame) => Value
  readonly safeFor?: SafeFor
}

/** A test, used with `is`. */
export interface TestDefinition extends Callable {
  readonly check: (value: Value, args: readonly Value[], render: Render) => boolean
  /** Accepts one argument without parentheses: `is divisible by 3`. */
  readonly takesBareArgument?: boolean
}

/** The definition of each kind of callable. */
export interface Definitions {
  readonly filter: FilterDefinition
  readonly function: FunctionDefinition
  readonly test: TestDefinition
}

/** A parameter of a filter, function or test. It is required when it has no fallback. */
export interface Parameter {
  readonly name: string
  readonly fallback: Value | undefined
}

/**
 * The parameters of a filter, function or test, in order. A variadic signature accepts more
 * arguments.
 */
export interface Signature {
  readonly parameters: readonly Parameter[]
  readonly isVariadic: boolean
}

/**
 * Parses a signature as the documentation writes it:
 * `'start, length = null, preserve_keys = false'`. Defaults are JSON. `'...values'` accepts any
 * number of arguments.
 */
export function signature(text: string): Signature {
  const parts = text === '' ? [] : text.split(/,\s*(?![^[{]*[\]}])/)
  const named = parts.filter((part) => !part.startsWith('...'))
  return {
    isVariadic: named.length < parts.length,
    parameters: named.map((part) => {
      const [name = '', fallback] = part.split(/\s*=\s*/)
      return {
        name,
        fallback: fallback === undefined ? undefined : (JSON.parse(fallback) as Value),
      }
    }),
  }
}

/**
 * Creates definitions from how they are written in a template, with the names and defaults of the
 * parameters: `'round(precision = 0, method = "common")'`.
 */
export function define<T extends Callable>(
  definitions: Record<string, Omit<T, 'name' | 'signature'> & { readonly description: string }>,
): T[] {
  return Object.entries(definitions).map(([written, definition]) => {
    const [, name = '', parameters = ''] = /^([^(]+)(?:\((.*)\))?$/.exec(written) ?? []
    return { ...definition, name, signature: signature(parameters) } as unknown as T
  })
}

/** The order of names in suggestions and in the catalogue. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

/**
 * Returns a sequence or mapping. `what` names the callable in the error: `"sort" filter`.
 *
 * @throws TwigError for any other value.
 */
export function requireCollection(value: Value, what: string): Collection {
  if (isCollection(value)) return value
  throw runtimeFault(`The ${what} expects a sequence or a mapping, got "${typeName(value)}".`)
}

/**
 * Returns an arrow function, the only kind of value that filters call.
 *
 * @throws TwigError for any other value.
 */
export function requireArrow(value: Value, what: string): Arrow {
  if (value instanceof Arrow) return value
  throw runtimeFault(`The callable passed to the ${what} must be an arrow function.`)
}

/**
 * Converts a value to a string.
 *
 * @throws TwigError for a collection, and for a string of more than `lengthMax` characters.
 */
export function requireText(value: Value, what: string, lengthMax?: number): string {
  if (isCollection(value)) {
    throw runtimeFault(`The ${what} expects a string, got "${typeName(value)}".`)
  }
  const text = toText(value)
  if (lengthMax === undefined || text.length <= lengthMax) return text
  throw runtimeFault(`The ${what} takes at most ${lengthMax} characters.`)
}
