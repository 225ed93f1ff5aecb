import type { Budget } from '../budget.ts'

/** A key of a mapping. An integer string is always held as a number, as in PHP. */
export type Key = string | number

/** A sequence: its keys are 0, 1, 2, … in order. */
export type List = readonly Value[]

/**
 * An ordered mapping. A mapping with the keys 0, 1, 2, … in order, or without any, is always held
 * as a `List`; `CollectionBuilder` ensures that.
 */
export type Mapping = ReadonlyMap<Key, Value>

export type Collection = List | Mapping

/**
 * Every value that a template can hold. Host data is copied into this closed set, so templates
 * cannot reach a prototype, method, getter or host object. A number is PHP's int when it is whole
 * and below 2^63, else PHP's float.
 */
export type Value = null | boolean | number | string | Markup | List | Mapping | TwigObject | Arrow

/** The behaviour of one kind of engine object, such as a date, an interval or a template. */
export interface ObjectKind<T> {
  /** The PHP class name, for error messages. */
  readonly className: string
  /** The keys, for kinds that are arrays in PHP. Error messages list them. */
  readonly keys?: readonly string[]
  /** Returns a readable attribute, or undefined. */
  attribute?(data: T, name: string): Value | undefined
  /**
   * Calls a method, which charges its work to the budget. Returns undefined when there is no such
   * method.
   */
  call?(data: T, method: string, args: readonly Value[], budget: Budget): Value | undefined
  /** Converts to a string, for kinds that can be printed. */
  text?(data: T): string
  /** Compares with another object of the same kind, like `<=>`. */
  compare?(a: T, b: T, budget: Budget): number
}

/** An object that the engine created for a template. Its kind defines what can be read. */
export class TwigObject<T = unknown> {
  readonly data: T
  readonly kind: ObjectKind<T>

  constructor(kind: ObjectKind<T>, data: T) {
    this.kind = kind
    this.data = data
  }
}

/** Returns the data of an object of a kind, or undefined for any other value. */
export function dataOf<T>(value: Value | undefined, kind: ObjectKind<T>): T | undefined {
  if (value instanceof TwigObject && value.kind === kind) return value.data as T
  return undefined
}

/** An arrow function of a template, the only kind of value that filters call. */
export class Arrow {
  readonly call: (args: readonly Value[]) => Value

  constructor(call: (args: readonly Value[]) => Value) {
    this.call = call
  }
}

/**
 * Text that is safe to print: the output of a block, macro or capture, or of an escaping filter.
 * Host code may create one for HTML that it trusts. Plain data never becomes markup.
 *
 * @example
 * ```ts
 * const context = { signature: new Markup('<b>ACME</b>') }
 * createTwig().renderSource('{{ signature }}', context) // <b>ACME</b>
 * ```
 */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Returns captured output as markup, or an empty string when there is no output. */
export function markupOrEmpty(text: string): Markup | '' {
  return text === '' ? '' : new Markup(text)
}
