import { findWeekday } from './names.ts'
import type { Reading, Rule, Shift, WeekdayWish } from './reading.ts'

const weekdayName =
  '(sundays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sun|mon|tues?|wednes|wed|thurs?|thu|fri|sat)'
const unitName =
  '(msecs?|milliseconds?|ms|microseconds?|usecs?|µs|sec(?:ond)?s?|min(?:ute)?s?|hours?|weekdays?|days?|' +
  `weeks?|fortnights?|forthnights?|months?|years?|${weekdayName.slice(1, -1)})(?![a-z])`
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
const counts = new Map([
  ...ordinals.split(' ').map((word, index): [string, number] => [word, index + 1]),
  ['eight', 8],
  ['next', 1],
  ['last', -1],
  ['previous', -1],
  ['this', 0],
])
const numberWord = `(${[...counts.keys()].join('|')})`

function countOf(word = ''): number {
  return counts.get(word.toLowerCase()) ?? 0
}

const units: [pattern: RegExp, unit: keyof Shift, factor: number][] = [
  [/^(msec|millisecond|ms)/, 'milliseconds', 1],
  [/^(microsecond|usec|µs)/, 'milliseconds', 0.001],
  [/^sec/, 'seconds', 1],
  [/^min/, 'minutes', 1],
  [/^hour/, 'hours', 1],
  [/^day/, 'days', 1],
  [/^weeks?$/, 'days', 7],
  [/^fort/, 'days', 14],
  [/^month/, 'months', 1],
  [/^year/, 'years', 1],
]

/** Goes so many units on. Weekdays count from the next one, or from today (`choice`). */
function shiftBy(
  reading: Reading,
  amount: number,
  { unit, choice }: { unit: string; choice: WeekdayWish['choice'] },
): void {
  const name = unit.toLowerCase()
  if (/^weekdays?$/.test(name)) {
    reading.workingDays += amount
    return
  }
  for (const [pattern, field, factor] of units) {
    if (!pattern.test(name)) continue
    reading.shift[field] += amount * factor
    return
  }
  const day = findWeekday(name)
  if (day === undefined) return
  reading.shift.days += (amount > 0 ? amount - 1 : amount) * 7
  reading.weekday = { day, choice }
}

function isWeekday(unit: string): boolean {
  return findWeekday(unit.toLowerCase()) !== undefined || /^weekdays?$/i.test(unit)
}

function day(pattern: string, days: number): Rule {
  return {
    pattern,
    apply(reading) {
      reading.clearTime()
      reading.shift.days += days
    },
  }
}

/** How far from another date (https://www.php.net/datetime.formats.relative). */
export const relativeRules: readonly Rule[] = [
  { pattern: 'now', apply() {} },
  { pattern: '(?:today|midnight)', apply: (reading) => reading.clearTime() },
  day('tomorrow', 1),
  day('yesterday', -1),
  {
    pattern: '(first|last) day of',
    apply(reading, [which]) {
      reading.edgeOfMonth = which?.toLowerCase() === 'first' ? 'first' : 'last'
    },
  },
  {
    pattern: `${numberWord}[ \\t]+${weekdayName}[ \\t]+of`,
    apply(reading, [word, name]) {
      const count = countOf(word)
      reading.clearTime()
      reading.weekdayOfMonth = count > 0 ? 'counted' : 'last'
      shiftBy(reading, count, { unit: name ?? '', choice: count > 0 ? 'here' : 'next' })
    },
  },
  {
    pattern: '(next|last|previous|this)[ \\t]+week(?![a-z])',
    apply(reading, [word]) {
      reading.shift.days += countOf(word) * 7
      if (reading.weekday === undefined) reading.weekday = { day: 1, choice: 'thisWeek' }
      else reading.weekday.choice = 'thisWeek'
    },
  },
  {
    pattern: `${numberWord}[ \\t]+${unitName}`,
    apply(reading, [word, unit = '']) {
      if (isWeekday(unit)) reading.clearTime()
      const choice = word?.toLowerCase() === 'this' ? 'here' : 'next'
      shiftBy(reading, countOf(word), { unit, choice })
    },
  },
  {
    pattern: `([+-]*)[ \\t]*([0-9]{1,13})[ \\t]*${unitName}`,
    apply(reading, [signs = '', number, unit = '']) {
      const isNegative = signs.split('-').length % 2 === 0
      shiftBy(reading, isNegative ? -Number(number) : Number(number), { unit, choice: 'here' })
    },
  },
  {
    pattern: weekdayName,
    apply(reading, [name]) {
      reading.clearTime()
      const choice = reading.weekday?.choice === 'thisWeek' ? 'thisWeek' : 'here'
      reading.weekday = { day: findWeekday(name ?? '') ?? 0, choice }
    },
  },
  { pattern: 'ago', apply: invert },
]

/** `ago` turns all that was said before it round. */
function invert(reading: Reading): void {
  const { shift } = reading
  for (const unit of Object.keys(shift) as (keyof Shift)[]) shift[unit] = 0 - shift[unit]
  reading.workingDays = 0 - reading.workingDays
  if (reading.weekday !== undefined) reading.weekday.day = 0 - (reading.weekday.day || 7)
}
