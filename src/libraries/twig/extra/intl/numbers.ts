import { define, type FilterDefinition } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { toFloat, toInt } from '../../php/numbers.ts'
import type { Render } from '../../runtime/render.ts'
import { entriesOf, isCollection } from '../../values/collections.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'
import { kept } from '../kept.ts'
import { localeOf } from './locale.ts'
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

/** The attributes, style, type and locale are the arguments. */
function formatNumber(value: Value, args: readonly Value[], render: Render): string {
  const [attrs = [], styleName = 'decimal', typeName = 'default', localeName = null] = args
  const style = toText(styleName)
  const type = toText(typeName)
  if (!types.includes(type)) {
    throw runtimeFault(
      `The type "${type}" does not exist, known types are: "${types.join('", "')}".`,
    )
  }
  const locale = localeOf(localeName, render)
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
  return formatBy({ ...styleOptions, ...options }, whole, { locale, render })
}

function formatBy(
  options: Intl.NumberFormatOptions,
  number: number,
  { locale, render }: { locale: string; render: Render },
): string {
  const key = `number ${locale} ${JSON.stringify(options)}`
  return kept(render, key, () => new Intl.NumberFormat(locale, options)).format(number)
}

/** Filters with the style in their names: `format_percent_number`. */
const styledFilters = [
  ['decimal', 'A decimal number as a locale writes it.'],
  ['currency', 'A number in the currency style of a locale.'],
  ['percent', 'A share as a percentage: 0.25 is 25%.'],
  ['scientific', 'A number in scientific notation: 1.2E3.'],
  ['spellout', 'A number in words.'],
  ['ordinal', 'An ordinal number: 1st, 2., 3e.'],
  ['duration', 'Seconds as a clock shows them: 3:25:45.'],
].map(([style = '', description = '']) => [
  `format_${style}_number(attrs = [], type = "default", locale = null)`,
  {
    description,
    apply: (value: Value, [attrs = [], ...rest]: readonly Value[], render: Render) =>
      formatNumber(value, [attrs, style, ...rest], render),
  },
])

export const numberFilters = define<FilterDefinition>({
  'format_number(attrs = [], style = "decimal", type = "default", locale = null)': {
    description: 'A number as a locale writes it.',
    apply: formatNumber,
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
      return formatBy(all, toFloat(value) * multiplier, { locale: language, render })
    },
  },
  ...Object.fromEntries(styledFilters),
})

/** What the attributes of PHP's NumberFormatter say, in Intl's words. */
interface NumberAttributes {
  readonly options: Intl.NumberFormatOptions
  readonly multiplier: number
}

const roundingModes: Record<string, Intl.NumberFormatOptions['roundingMode']> = {
  ceiling: 'ceil',
  floor: 'floor',
  down: 'trunc',
  up: 'expand',
  halfeven: 'halfEven',
  halfdown: 'halfTrunc',
  halfup: 'halfExpand',
}

const digits = (value: Value): number => Math.min(Math.max(toInt(value), 0), 100)
const atLeastOne = (value: Value): number => Math.min(Math.max(digits(value), 1), 21)

type Attribute = readonly [
  read: (value: Value) => unknown,
  ...options: (keyof Intl.NumberFormatOptions)[],
]

/** How each attribute is read, and the options of Intl that it sets. */
const known: ReadonlyMap<string, Attribute> = new Map(
  Object.entries<Attribute>({
    grouping_used: [toBoolean, 'useGrouping'],
    min_integer_digit: [atLeastOne, 'minimumIntegerDigits'],
    min_fraction_digit: [digits, 'minimumFractionDigits'],
    max_fraction_digit: [digits, 'maximumFractionDigits'],
    fraction_digit: [digits, 'minimumFractionDigits', 'maximumFractionDigits'],
    min_significant_digits_used: [atLeastOne, 'minimumSignificantDigits'],
    max_significant_digits_used: [atLeastOne, 'maximumSignificantDigits'],
    significant_digits_used: [toBoolean],
    lenient_parse: [toBoolean],
    multiplier: [toInt],
    rounding_mode: [roundingMode, 'roundingMode'],
  }),
)

/** Attributes of PHP that Intl does not have. */
const unable =
  'decimal_always_shown max_integer_digit integer_digit grouping_size rounding_increment format_width ' +
  'padding_position secondary_grouping_size'

/** Reads the `attrs` of `format_number` and `format_currency`. Throws for what there is none of. */
function numberAttributes(attrs: Value): NumberAttributes {
  // ICU rounds halves to even.
  const options: Intl.NumberFormatOptions = { roundingMode: 'halfEven' }
  let multiplier = 1
  if (!isCollection(attrs)) return { options, multiplier }
  for (const [name, value] of entriesOf(attrs)) {
    const [read, ...targets] = known.get(String(name)) ?? []
    if (read === undefined) throw unknownAttribute(String(name))
    for (const target of targets) Object.assign(options, { [target]: read(value) })
    if (name === 'multiplier') multiplier = toInt(value)
  }
  const { minimumFractionDigits: least, maximumFractionDigits: most } = options
  if (least !== undefined && most !== undefined && least > most)
    options.maximumFractionDigits = least
  return { options, multiplier }
}

function roundingMode(value: Value): Intl.NumberFormatOptions['roundingMode'] {
  const name = toText(value)
  const mode = Object.hasOwn(roundingModes, name) ? roundingModes[name] : undefined
  if (mode !== undefined) return mode
  const names = Object.keys(roundingModes).join('", "')
  throw runtimeFault(
    `The number formatter rounding mode "${name}" does not exist, known modes are: "${names}".`,
  )
}

function unknownAttribute(name: string): Error {
  if (unable.split(' ').includes(name)) {
    return runtimeFault(`The number formatter attribute "${name}" is not supported.`)
  }
  const names = [...known.keys()].join('", "')
  return runtimeFault(
    `The number formatter attribute "${name}" does not exist, known attributes are: "${names}".`,
  )
}
