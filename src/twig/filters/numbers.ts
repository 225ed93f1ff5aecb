import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { positive } from '../php/arithmetic.ts'
import { toFloat, toInt } from '../php/casts.ts'
import { numberFormat as formatNumber } from '../php/number-format.ts'
import { round as roundNumber } from '../php/round.ts'
import { toText } from '../values/text.ts'
import type { Value } from '../values/value.ts'

/** `abs`: without its sign. */
export const abs: FilterDefinition = {
  name: 'abs',
  signature: signature(''),
  apply: (value) => Math.abs(positive(value)),
}

/** `round`: to so many digits behind the point, to the nearest, up or down. */
export const round: FilterDefinition = {
  name: 'round',
  signature: signature('precision = 0, method = "common"'),
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
}

/** `number_format`: `1,234.50`. */
export const numberFormat: FilterDefinition = {
  name: 'number_format',
  signature: signature('decimal = null, decimal_point = null, thousand_sep = null'),
  apply(value, [decimal = null, point = null, separator = null], { budget, settings }) {
    const { numberFormat: defaults } = settings
    const style = {
      decimals: decimal === null ? defaults.decimals : toInt(decimal),
      point: orElse(point, defaults.point),
      separator: orElse(separator, defaults.separator),
    }
    return formatNumber(toFloat(value), style, budget)
  },
}

function orElse(value: Value, fallback: string): string {
  return value === null ? fallback : toText(value)
}
