import { isCollection, sizeOf } from '../values/collections.ts'
import { Markup } from '../values/markup.ts'
import type { Value } from '../values/value.ts'
import { findLeadingNumber } from './numeric-text.ts'

/** PHP's `(float)`: what a text begins with, 0 where it begins with no number. Never throws. */
export function toFloat(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return 0
  if (typeof value === 'string') return findLeadingNumber(value) ?? 0
  if (value instanceof Markup) return findLeadingNumber(value.text) ?? 0
  if (isCollection(value)) return sizeOf(value) > 0 ? 1 : 0
  return 1
}

/** PHP's `(int)`: cut towards zero; what is not finite is 0. Never throws. */
export function toInt(value: Value): number {
  const number = Math.trunc(toFloat(value))
  return Number.isFinite(number) ? number + 0 : 0
}
