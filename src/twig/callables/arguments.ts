import { runtimeFault } from '../errors/faults.ts'
import { isCollection } from '../values/collections.ts'
import { toText } from '../values/text.ts'
import { typeName } from '../values/type-name.ts'
import { Arrow, type Collection, type Value } from '../values/value.ts'

/** A value that must be a sequence or mapping; `what` names who wants it: `"sort" filter`. */
export function requireCollection(value: Value, what: string): Collection {
  if (isCollection(value)) return value
  throw runtimeFault(`The ${what} expects a sequence or a mapping, got "${typeName(value)}".`)
}

/** A value that must be an arrow function; nothing else is ever called. */
export function requireArrow(value: Value, what: string): Arrow {
  if (value instanceof Arrow) return value
  throw runtimeFault(`The callable passed to the ${what} must be an arrow function.`)
}

/** The text of a value that must have one: anything but a collection. */
export function requireText(value: Value, what: string): string {
  if (typeof value === 'string') return value
  if (isCollection(value)) {
    throw runtimeFault(`The ${what} expects a string, got "${typeName(value)}".`)
  }
  return toText(value)
}
