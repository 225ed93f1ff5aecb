import { isCollection } from './collections.ts'
import { Markup } from './markup.ts'
import { Arrow, type Value } from './value.ts'

/** Whether PHP would hold this number as an int: whole, and below 2^63. */
export function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

/** The type of a value as PHP's `get_debug_type` names it; messages use it. */
export function typeName(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return isInt(value) ? 'int' : 'float'
  if (typeof value === 'string') return 'string'
  if (value instanceof Markup) return 'Twig\\Markup'
  if (isCollection(value)) return 'array'
  if (value instanceof Arrow) return 'Closure'
  return value.kind.className
}
