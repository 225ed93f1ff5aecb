import { isCollection, isObject } from '../values/collections.ts'
import { Markup } from '../values/markup.ts'
import type { Meter } from '../values/meter.ts'
import { findText } from '../values/search.ts'
import { toText } from '../values/text.ts'
import { Arrow, type Value } from '../values/value.ts'
import { looselyEqual } from './comparison.ts'

/** Twig's `in`: part of a text, or equal to an element of a collection. */
export function isIn(value: Value, container: Value, meter: Meter): boolean {
  if (value instanceof Markup) return isIn(value.text, container, meter)
  if (container instanceof Markup) return isIn(value, container.text, meter)
  if (typeof container === 'string') {
    if (typeof value !== 'string' && typeof value !== 'number') return false
    return findText(container, toText(value), 0, meter) !== -1
  }
  if (!isCollection(container)) return false
  const isSame = isObject(value) || value instanceof Arrow
  for (const element of container.values()) {
    meter.spend(1)
    if (isSame ? element === value : looselyEqual(value, element, meter)) return true
  }
  return false
}
