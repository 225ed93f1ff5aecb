import { dateKind } from '../dates/date-kind.ts'
import { isList, isMapping } from '../values/collections.ts'
import { Markup } from '../values/markup.ts'
import type { Meter } from '../values/meter.ts'
import { Arrow, dataOf, TwigObject, type Value } from '../values/value.ts'
import { fromHost } from './host-values.ts'

/**
 * A value as plain data, for the host's own filters and functions: sequences as arrays, mappings as
 * `Map`s, dates as `Date`s, markup as its text.
 */
export function toHost(value: Value, meter: Meter): unknown {
  if (isList(value)) {
    meter.allocateElements(value.length)
    return value.map((item) => toHost(item, meter))
  }
  if (isMapping(value)) {
    meter.allocateElements(value.size)
    return new Map(Array.from(value, ([key, item]) => [key, toHost(item, meter)]))
  }
  if (value instanceof Markup) return value.text
  const date = dataOf(value, dateKind)
  if (date !== undefined) return new Date(date.epochMs)
  if (value instanceof Arrow) {
    const { call } = value
    return (...args: unknown[]) =>
      toHost(call(args.map((argument) => fromHost(argument) ?? null)), meter)
  }
  if (value instanceof TwigObject) return value.kind.text?.(value.data) ?? null
  return value
}
