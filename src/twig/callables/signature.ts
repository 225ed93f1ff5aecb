import type { Value } from '../values/value.ts'

/** A parameter of a filter, function or test. Without a fallback it must be given. */
export interface Parameter {
  readonly name: string
  readonly fallback: Value | undefined
}

/** The parameters of a filter, function or test, in order. A variadic one takes any more. */
export interface Signature {
  readonly parameters: readonly Parameter[]
  readonly isVariadic: boolean
}

/**
 * Reads a signature as it stands in the documentation: `'start, length = null, preserve_keys = false'`;
 * `'...values'` takes any number. Fallbacks are JSON.
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
