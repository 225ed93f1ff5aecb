import { phpFault } from '../errors/faults.ts'
import { Markup } from './markup.ts'
import { numberText } from './number-text.ts'
import { typeName } from './type-name.ts'
import { TwigObject, type Value } from './value.ts'

/**
 * PHP's text of a value: true is '1', false and null are '', a collection is 'Array'. Throws for
 * objects that have no text.
 */
export function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === null || value === false) return ''
  if (value === true) return '1'
  if (value instanceof Markup) return value.text
  if (value instanceof TwigObject) {
    if (value.kind.text !== undefined) return value.kind.text(value.data)
  } else if (Array.isArray(value) || value instanceof Map) {
    return 'Array'
  }
  throw phpFault(`Object of class ${typeName(value)} could not be converted to string`)
}
