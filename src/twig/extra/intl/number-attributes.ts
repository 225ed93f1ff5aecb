import { runtimeFault } from '../../errors.ts'
import { toInt } from '../../php/numbers.ts'
import { entriesOf, isCollection } from '../../values/collections.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'

/** What the attributes of PHP's NumberFormatter say, in Intl's words. */
export interface NumberAttributes {
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

type Mutable = { -readonly [K in keyof Intl.NumberFormatOptions]: Intl.NumberFormatOptions[K] }
type Apply = (options: Mutable, value: Value) => void

const digits = (value: Value): number => Math.min(Math.max(toInt(value), 0), 100)

/** Attributes that Intl knows under other names. */
const known = new Map<string, Apply>([
  ['grouping_used', (options, value) => (options.useGrouping = toBoolean(value))],
  ['min_integer_digit', (options, value) => (options.minimumIntegerDigits = atLeastOne(value))],
  ['min_fraction_digit', (options, value) => (options.minimumFractionDigits = digits(value))],
  ['max_fraction_digit', (options, value) => (options.maximumFractionDigits = digits(value))],
  [
    'fraction_digit',
    (options, value) => {
      options.minimumFractionDigits = digits(value)
      options.maximumFractionDigits = digits(value)
    },
  ],
  [
    'min_significant_digits_used',
    (options, value) => (options.minimumSignificantDigits = atLeastOne(value)),
  ],
  [
    'max_significant_digits_used',
    (options, value) => (options.maximumSignificantDigits = atLeastOne(value)),
  ],
  ['significant_digits_used', () => {}],
  ['lenient_parse', () => {}],
  ['multiplier', () => {}],
  ['rounding_mode', (options, value) => (options.roundingMode = roundingMode(toText(value)))],
])

/** Attributes of PHP's that Intl can't do. */
const unable = [
  'decimal_always_shown',
  'max_integer_digit',
  'integer_digit',
  'grouping_size',
  'rounding_increment',
  'format_width',
  'padding_position',
  'secondary_grouping_size',
]

/** Reads the `attrs` of `format_number` and `format_currency`. Throws for what there is none of. */
export function numberAttributes(attrs: Value): NumberAttributes {
  // ICU rounds halves to even.
  const options: Mutable = { roundingMode: 'halfEven' }
  let multiplier = 1
  if (!isCollection(attrs)) return { options, multiplier }
  for (const [name, value] of entriesOf(attrs)) {
    const apply = known.get(String(name))
    if (apply === undefined) throw unknownAttribute(String(name))
    apply(options, value)
    if (name === 'multiplier') multiplier = toInt(value)
  }
  const { minimumFractionDigits: least, maximumFractionDigits: most } = options
  if (least !== undefined && most !== undefined && least > most)
    options.maximumFractionDigits = least
  return { options, multiplier }
}

function atLeastOne(value: Value): number {
  return Math.min(Math.max(digits(value), 1), 21)
}

function roundingMode(name: string): Intl.NumberFormatOptions['roundingMode'] {
  const mode = Object.hasOwn(roundingModes, name) ? roundingModes[name] : undefined
  if (mode !== undefined) return mode
  const names = Object.keys(roundingModes).join('", "')
  throw runtimeFault(
    `The number formatter rounding mode "${name}" does not exist, known modes are: "${names}".`,
  )
}

function unknownAttribute(name: string): Error {
  if (unable.includes(name)) {
    return runtimeFault(`The number formatter attribute "${name}" is not supported.`)
  }
  const names = [...known.keys()].join('", "')
  return runtimeFault(
    `The number formatter attribute "${name}" does not exist, known attributes are: "${names}".`,
  )
}
