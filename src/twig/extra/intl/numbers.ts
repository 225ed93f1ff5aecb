import { define, type FilterDefinition } from '../../callables/definition.ts'
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

const styledParameters = 'attrs = [], type = "default", locale = null'

export const numberFilters = define<FilterDefinition>({
  'format_number(attrs = [], style = "decimal", type = "default", locale = null)': {
    description: 'A number as a locale writes it.',
    apply(value, [attrs = [], style = 'decimal', type = 'default', locale = null], render) {
      return formatNumber(
        value,
        { attrs, style: toText(style), type: toText(type), locale },
        render,
      )
    },
  },
  'format_currency(currency, attrs = [], locale = null)': {
    description: "An amount of money as a locale writes it: 4.5|format_currency('EUR').",
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
  },
  [`format_decimal_number(${styledParameters})`]: {
    description: 'A decimal number as a locale writes it.',
    apply: inStyle('decimal'),
  },
  [`format_currency_number(${styledParameters})`]: {
    description: 'A number in the currency style of a locale.',
    apply: inStyle('currency'),
  },
  [`format_percent_number(${styledParameters})`]: {
    description: 'A share as a percentage: 0.25 is 25%.',
    apply: inStyle('percent'),
  },
  [`format_scientific_number(${styledParameters})`]: {
    description: 'A number in scientific notation: 1.2E3.',
    apply: inStyle('scientific'),
  },
  [`format_spellout_number(${styledParameters})`]: {
    description: 'A number in words.',
    apply: inStyle('spellout'),
  },
  [`format_ordinal_number(${styledParameters})`]: {
    description: 'An ordinal number: 1st, 2., 3e.',
    apply: inStyle('ordinal'),
  },
  [`format_duration_number(${styledParameters})`]: {
    description: 'Seconds as a clock shows them: 3:25:45.',
    apply: inStyle('duration'),
  },
})

/** `format_number` with its style in the name of the filter. */
function inStyle(style: string): FilterDefinition['apply'] {
  return (value, [attrs = [], type = 'default', locale = null], render) =>
    formatNumber(value, { attrs, style, type: toText(type), locale }, render)
}
