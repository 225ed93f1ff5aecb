import type { Frame, Render } from '../runtime/render.ts'
import type { Value } from '../values/value.ts'
import type { Signature } from './signature.ts'

/** An escaping strategy that some output is already safe for; `all` for every one. */
export type SafeFor = readonly string[]

/** What filters, functions and tests have in common. */
interface Callable {
  readonly name: string
  readonly signature: Signature
  /** Why not to use it any more, and what instead. */
  readonly deprecation?: string
}

/**
 * A filter. `apply` gets the value before the bar, then the arguments in the order of the signature,
 * defaults filled in; those of a variadic signature follow one by one.
 */
export interface FilterDefinition extends Callable {
  readonly apply: (value: Value, args: readonly Value[], render: Render) => Value
  /** What its result is safe for, whatever went in. Arguments known when parsing are given. */
  readonly safeFor?: SafeFor | ((args: readonly (Value | undefined)[]) => SafeFor)
  /** A result as safe as its input, for these strategies. */
  readonly preservesSafety?: SafeFor
  /** Its input may lead to nothing, and is null then, without an error. */
  readonly acceptsMissing?: boolean
  /** Escapes the input so, before it applies. */
  readonly preEscape?: string
}

/** A function. `call` gets its arguments as a filter does. */
export interface FunctionDefinition extends Callable {
  readonly call: (args: readonly Value[], render: Render, frame: Frame) => Value
  readonly safeFor?: SafeFor
}

/** A test, asked with `is`. */
export interface TestDefinition extends Callable {
  readonly check: (value: Value, args: readonly Value[], render: Render) => boolean
  /** Takes its one argument without brackets too: `is divisible by 3`. */
  readonly takesBareArgument?: boolean
}
