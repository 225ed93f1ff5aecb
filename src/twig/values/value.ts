import type { Markup } from './markup.ts'
import type { Meter } from './meter.ts'

/** A key of a mapping. Text that reads as a whole number is always held as a number, as in PHP. */
export type Key = string | number

/** A sequence: keys 0, 1, 2, … in order. */
export type List = readonly Value[]

/**
 * A mapping in its order. Anything whose keys are 0, 1, 2, … in order is a `List` instead (so is the
 * empty mapping), so that one shape has one form; `CollectionBuilder` sees to it.
 */
export type Mapping = ReadonlyMap<Key, Value>

export type Collection = List | Mapping

/**
 * Every value that a template can ever hold. Data from outside is copied into this closed set before
 * a template sees it, so no prototype, method, getter or host object can be reached.
 *
 * A number is PHP's int when it is whole and below 2^63, else PHP's float.
 */
export type Value = null | boolean | number | string | Markup | List | Mapping | TwigObject | Arrow

/** How a kind of engine-made object (a date, an interval, a template) answers a template. */
export interface ObjectKind<T> {
  /** What PHP calls it; error messages name it. */
  readonly className: string
  /** For what PHP holds as an array: its keys, for messages. */
  readonly keys?: readonly string[]
  /** A readable attribute, or undefined. */
  attribute?(data: T, name: string): Value | undefined
  /** Calls a method, which asks the meter for its work; undefined where there is no such method. */
  call?(data: T, method: string, args: readonly Value[], meter: Meter): Value | undefined
  /** Its text, for kinds that can be printed. */
  text?(data: T): string
  /** Order against another object of the same kind, as `<=>` gives it. */
  compare?(a: T, b: T, meter: Meter): number
}

/** An object that the engine made for a template. What can be read of it is what its kind lists. */
export class TwigObject<T = unknown> {
  readonly data: T
  readonly kind: ObjectKind<T>

  constructor(kind: ObjectKind<T>, data: T) {
    this.kind = kind
    this.data = data
  }
}

/** The data of an object of that kind, or undefined for anything else. */
export function dataOf<T>(value: Value | undefined, kind: ObjectKind<T>): T | undefined {
  if (value instanceof TwigObject && value.kind === kind) return value.data as T
  return undefined
}

/** An arrow function of a template; the only thing that filters such as `map` will call. */
export class Arrow {
  readonly call: (args: readonly Value[]) => Value

  constructor(call: (args: readonly Value[]) => Value) {
    this.call = call
  }
}
