import { isCollection, isList, sizeOf } from './collections.ts'
import { Markup } from './markup.ts'
import { TwigObject, type Value } from './value.ts'

/** PHP's boolean of a value: false are null, false, 0, '', '0' and the empty collection. */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  if (typeof value === 'string') return value !== '' && value !== '0'
  if (typeof value === 'number') return value !== 0
  if (isList(value)) return value.length > 0
  if (value instanceof Markup) return value.text !== '' && value.text !== '0'
  return true
}

/** Twig's `is empty`: null, false, '' and the empty collection; 0 and '0' are not. */
export function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  if (isCollection(value)) return sizeOf(value) === 0
  if (value instanceof Markup) return value.text === ''
  if (value instanceof TwigObject) return value.kind.text?.(value.data) === ''
  return false
}
