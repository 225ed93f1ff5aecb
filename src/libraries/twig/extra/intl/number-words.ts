import { runtimeFault } from '../../errors.ts'

const small = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen`.split(/\s+/)
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const greatest: [size: number, name: string][] = [
  [1e12, 'trillion'],
  [1e9, 'billion'],
  [1e6, 'million'],
  [1e3, 'thousand'],
]

/** A number in words; English alone, since Node's Intl has no rules for it. */
export function spellOut(number: number, locale: string): string {
  if (!locale.startsWith('en')) {
    throw runtimeFault(`Numbers can be spelled out in English only, not in "${locale}".`)
  }
  if (!Number.isFinite(number) || Math.abs(number) >= 1e15) return String(number)
  const [whole = '0', fraction] = String(Math.abs(number)).split('.')
  const words = [number < 0 ? 'minus ' : '', inWords(Number(whole))]
  if (fraction !== undefined) {
    words.push(' point ', Array.from(fraction, (digit) => small[Number(digit)]).join(' '))
  }
  return words.join('')
}

function inWords(number: number): string {
  for (const [size, name] of greatest) {
    if (number >= size)
      return joined(`${inWords(Math.floor(number / size))} ${name}`, number % size)
  }
  if (number >= 100) return joined(`${small[Math.floor(number / 100)]} hundred`, number % 100)
  if (number < 20) return small[number] ?? ''
  const unit = number % 10
  return `${tens[Math.floor(number / 10)]}${unit === 0 ? '' : `-${small[unit]}`}`
}

function joined(words: string, rest: number): string {
  return rest === 0 ? words : `${words} ${inWords(rest)}`
}

const ordinalSigns: Record<string, (number: number) => string> = {
  en: (number) => {
    const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number)
    return { one: 'st', two: 'nd', few: 'rd', other: 'th', many: 'th', zero: 'th' }[rule]
  },
  fr: (number) => (number === 1 ? 'er' : 'e'),
  de: () => '.',
  es: () => '.º',
  it: () => 'º',
  pt: () => 'º',
  nl: () => 'e',
}

/** `1st`, `2.`, `3e`: in the languages whose rule is short. */
export function ordinal(number: number, locale: string): string {
  const language = locale.split('-')[0] ?? ''
  const sign = Object.hasOwn(ordinalSigns, language) ? ordinalSigns[language] : undefined
  if (sign === undefined) {
    throw runtimeFault(`Ordinal numbers can't be written in "${locale}".`)
  }
  const whole = Math.round(number)
  return new Intl.NumberFormat(locale).format(whole) + sign(Math.abs(whole))
}

/** Seconds as a clock shows them: `3:25:45`. */
export function duration(number: number): string {
  const seconds = Math.round(Math.abs(number))
  const sign = number < 0 ? '-' : ''
  if (!Number.isFinite(seconds)) return String(number)
  if (seconds < 60) return `${sign}${seconds} sec.`
  const two = (part: number): string => String(part).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${sign}${minutes}:${two(seconds % 60)}`
  return `${sign}${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}
