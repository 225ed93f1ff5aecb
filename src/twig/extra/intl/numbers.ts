import { type FilterDefinition, signature } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { toFloat } from '../../php/numbers.ts'
import type { Render } from '../../runtime/render.ts'
import { toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'
import { kept } from '../kept.ts'
import { localeOf } from './locale.ts'
import { numberAttributes } from './number-attributes.ts'
import { duration, ordinal, spellOut } from './number-words.ts'

/** Formatting takes some microseconds; where a rule for the words is made each time, fifty. */
const numberSteps = 50
const wordSteps = 500

const types = ['default', 'int32', 'int64', 'double']

/** Intl's options for each style that it can format. */
const styles = new Map<string, Intl.NumberFormatOptions>([
  ['decimal', {}],
  ['currency', {}],
  ['percent', { style: 'percent' }],
  ['scientific', { notation: 'scientific', maximumFractionDigits: 15, useGrouping: false }],
])

/** Styles that ICU writes by rules which Intl does not have. */
const worded = new Map<string, (number: number, locale: string) => string>([
  ['spellout', spellOut],
  ['ordinal', ordinal],
  ['duration', duration],
])

interface NumberFormat {
  readonly attrs: Value
  readonly style: string
  readonly type: string
  readonly locale: Value
}

function formatNumber(value: Value, format: NumberFormat, render: Render): string {
  const { attrs, style, type } = format
  if (!types.includes(type)) {
    throw runtimeFault(
      `The type "${type}" does not exist, known types are: "${types.join('", "')}".`,
    )
  }
  const locale = localeOf(format.locale, render)
  render.budget.spend(numberSteps)
  const { options, multiplier } = numberAttributes(attrs)
  const number = toFloat(value) * multiplier
  const whole = type.startsWith('int') ? Math.trunc(number) : number
  const words = worded.get(style)
  if (words !== undefined) {
    render.budget.spend(wordSteps)
    return words(whole, locale)
  }
  const styleOptions = styles.get(style)
  if (styleOptions === undefined) {
    const names = [...styles.keys(), ...worded.keys()].join('", "')
    throw runtimeFault(`The style "${style}" does not exist, known styles are: "${names}".`)
  }
  const all = { ...styleOptions, ...options }
  return kept(
    render,
    `number ${locale} ${JSON.stringify(all)}`,
    () => new Intl.NumberFormat(locale, all),
  ).format(whole)
}

/** `format_number`: a number as a locale writes it. */
const formatNumberFilter: FilterDefinition = {
  name: 'format_number',
  signature: signature('attrs = [], style = "decimal", type = "default", locale = null'),
  apply(value, [attrs = [], style = 'decimal', type = 'default', locale = null], render) {
    return formatNumber(value, { attrs, style: toText(style), type: toText(type), locale }, render)
  },
}

/** `format_percent_number` and the like: `format_number` with its style in its name. */
function styled(style: string): FilterDefinition {
  return {
    name: `format_${style}_number`,
    signature: signature('attrs = [], type = "default", locale = null'),
    apply: (value, [attrs = [], type = 'default', locale = null], render) =>
      formatNumber(value, { attrs, style, type: toText(type), locale }, render),
  }
}

/** `format_currency`: an amount of money as a locale writes it. */
const formatCurrency: FilterDefinition = {
  name: 'format_currency',
  signature: signature('currency, attrs = [], locale = null'),
  apply(value, [currency = '', attrs = [], locale = null], render) {
    const code = toText(currency)
    if (!/^[A-Za-z]{3}$/.test(code)) {
      throw runtimeFault('Unable to format the given number as a currency.')
    }
    const language = localeOf(locale, render)
    render.budget.spend(numberSteps)
    const { options, multiplier } = numberAttributes(attrs)
    const all = { ...options, style: 'currency', currency: code.toUpperCase() } as const
    return kept(
      render,
      `number ${language} ${JSON.stringify(all)}`,
      () => new Intl.NumberFormat(language, all),
    ).format(toFloat(value) * multiplier)
  },
}

export const numberFilters: readonly FilterDefinition[] = [
  formatCurrency,
  formatNumberFilter,
  ...[...styles.keys(), ...worded.keys()].map(styled),
]
