import { define, type FilterDefinition } from '../callables/definition.ts'
import { phpFault, runtimeFault } from '../errors.ts'
import { numberFormat as formatNumber, round as roundNumber } from '../php/number-format.ts'
import { findNumberIn, toFloat, toInt } from '../php/numbers.ts'
import { toText, typeName } from '../values/conversions.ts'
import type { Value } from '../values/value.ts'

export const numberFilters = define<FilterDefinition>({
  abs: {
    description: 'The absolute value of a number.',
    apply(value) {
      const number = findNumberIn(value)
      if (number !== undefined) return Math.abs(number)
      throw phpFault(
        `abs(): Argument #1 ($num) must be of type int|float, ${typeName(value)} given`,
      )
    },
  },
  'round(precision = 0, method = "common")': {
    description: 'Rounds to a number of decimals: to the nearest, up or down.',
    apply(value, [precision = 0, method = 'common']) {
      const number = toFloat(value)
      const places = toInt(precision)
      if (method === 'common') return roundNumber(number, places)
      const factor = 10 ** places
      if (method === 'ceil') return Math.ceil(number * factor) / factor + 0
      if (method === 'floor') return Math.floor(number * factor) / factor + 0
      throw runtimeFault(
        'The "round" filter only supports the "common", "ceil", and "floor" methods.',
      )
    },
  },
  'number_format(decimal = null, decimal_point = null, thousand_sep = null)': {
    description: 'Formats a number: 1,234.50.',
    apply(value, [decimal = null, point = null, separator = null], { budget, settings }) {
      const { numberFormat: defaults } = settings
      const style = {
        decimals: decimal === null ? defaults.decimals : toInt(decimal),
        point: orElse(point, defaults.point),
        separator: orElse(separator, defaults.separator),
      }
      return formatNumber(toFloat(value), style, budget)
    },
  },
})

function orElse(value: Value, fallback: string): string {
  return value === null ? fallback : toText(value)
}
