import { calendarDay, clockUnits, dateUnits, dayOfWeek, type Fields } from './date-time.ts'
import { findWeekday, monthNumber } from './names.ts'
import {
  fraction,
  type Groups,
  hourOf,
  noteFields,
  type Reading,
  type WeekdayWish,
} from './reading.ts'
import { offsetZone } from './zones.ts'

/** A form that a part of a date text may have. */
export interface Rule {
  /** A regular expression without regard to case, for the whole part. */
  readonly pattern: string
  /** Notes what it says. */
  apply(reading: Reading, groups: Groups): void
  /** What it sets; a text may set a date and a time once each. */
  readonly sets?: 'date' | 'time'
}

function time(pattern: string, apply: Rule['apply'] = noteFields): Rule {
  return { pattern, sets: 'time', apply }
}

const meridian = '[ \\t]*(?<p>[ap])\\.?m\\.?(?![a-z])'

/** Times of day, and moments by their number of seconds. */
const timeRules: readonly Rule[] = [
  {
    sets: 'date',
    pattern: '@(?<s>-?[0-9]{1,15})(?:\\.(?<f>[0-9]{0,6}))?',
    apply(reading, { s, f }) {
      reading.setDate(1970, 1, 1)
      reading.setTime(0, 0)
      reading.shift.second += Number(s)
      reading.shift.millisecond += (s?.startsWith('-') ? -1 : 1) * fraction(f)
      reading.zone = offsetZone(0)
      reading.isMoment = true
    },
  },
  time(`(?<h>1[0-2]|0?[1-9])(?:[:.](?<i>[0-5]?[0-9])(?:[:.](?<s>[0-5]?[0-9]|60))?)?${meridian}`),
  time(
    't?(?<h>[01]?[0-9]|2[0-4])[:.](?<i>[0-5]?[0-9])(?:[:.](?<s>[0-5]?[0-9]|60)(?:[.,:](?<f>[0-9]{1,9}))?)?',
  ),
  time('t(?<h>[01][0-9]|2[0-4])(?<i>[0-5][0-9])(?<s>[0-5][0-9]|60)?'),
  {
    // Four digits are a time first, and a year where there is a time already.
    pattern: '(?<h>[01][0-9]|2[0-4])(?<i>[0-5][0-9])',
    apply(reading, { h, i }) {
      if (reading.hasTime) reading.fields.year = Number(`${h}${i}`)
      else reading.setTime(Number(h), Number(i))
    },
  },
  {
    pattern: '(?<y>[0-9]{4})',
    apply(reading, { y }) {
      reading.fields.year = Number(y)
    },
  },
  time(`back of (?<h>[01]?[0-9]|2[0-4])(?:${meridian})?`, (reading, { h, p }) =>
    reading.setTime(hourOf(h, p), 15),
  ),
  time(`front of (?<h>[01]?[0-9]|2[0-4])(?:${meridian})?`, (reading, { h, p }) =>
    reading.setTime(hourOf(h, p) - 1, 45),
  ),
  { pattern: 'noon', apply: (reading) => reading.setTime(12, 0) },
]

const monthWord =
  '(?<m>january|february|march|april|may|june|july|august|september|october|november|december|' +
  'jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|xii|xi|x|ix|viii|vii|vi|v|iv|iii|ii|i)\\b'
const monthName = `${monthWord}\\.?`
const dayNumber = '(?<d>[0-2]?[0-9]|3[01])(?:st|nd|rd|th)?'
const gap = '[ \\t.\\-]*'
const month = '(?<m>1[0-2]|0?[0-9])'
const month2 = '(?<m>0[0-9]|1[0-2])'
const day = '(?<d>3[01]|[0-2]?[0-9])'
const day2 = '(?<d>[0-2][0-9]|3[01])'
const year4 = '(?<y>[0-9]{4})'
const year = '(?<y>[0-9]{4}|[0-9]{2})'
const clock = '(?<h>[01]?[0-9]|2[0-4])[:.]?(?<i>[0-5][0-9])[:.]?(?<s>[0-5][0-9]|60)'

function date(pattern: string, apply: Rule['apply'] = noteFields): Rule {
  return { pattern, sets: 'date', apply }
}

/** Dates, as `strtotime` reads them (https://www.php.net/datetime.formats.date). */
const dateRules: readonly Rule[] = [
  date(`(?<y>[+-]?[0-9]{4})-${month}-${day}`),
  date(`(?<y>[0-9]{1,4})-${month}-${day}`),
  date(`${year4}/${month}/${day}/?`),
  date(`${month}/${day}/${year}`),
  date(`${day}[.\\t-]${month}[.-]${year4}`),
  date(`${day}[.\\t]${month}\\.(?<y>[0-9]{2})`),
  date(`${year4}${month2}${day2}`),
  date(`${month}/${day}`),
  date(`${year4}-${month}`),
  date(`${dayNumber}${gap}${monthName}${gap}(?<y>[0-9]{4}|[0-9]{2}(?![0-9:]))`),
  date(`${monthName}${gap}${dayNumber}[ ,.\\t]+${year4}(?!:)`),
  date(`${monthName}-${dayNumber}-${year}`),
  date(`${year}-${monthName}-${dayNumber}`),
  date(`${monthName}${gap}${year4}`),
  date(`${year4}${gap}${monthName}`),
  date(`${monthName}${gap}${dayNumber}(?![0-9:])[,. \\t]*`),
  date(`${dayNumber}${gap}${monthName}`),
  date(monthName, (reading, { m }) => reading.setDate(undefined, monthNumber(m))),
  date(`${year4}-?W(?<w>5[0-3]|[0-4][0-9])(?:-?(?<d>[0-7]))?`, setIsoWeek),
  date(`${year4}[.-]?(?<d>[0-3][0-9]{2})`, (reading, { y, d }) =>
    reading.setDate(Number(y), 1, Number(d)),
  ),
  date(`${day}/${monthWord}/${year4}:${clock}`),
  date(`${year4}:?${month2}:?${day2}[t ]?${clock}(?:[.,](?<f>[0-9]{1,9}))?`),
]

function setIsoWeek(reading: Reading, { y, w, d = '1' }: Groups): void {
  const fourth = { year: Number(y), month: 1, day: 4 }
  const sunday = 4 - (dayOfWeek(fourth) || 7)
  const date = calendarDay({ ...fourth, day: sunday + (Number(w) - 1) * 7 + Number(d) })
  reading.setDate(date.year, date.month, date.day)
}

const weekdayNames =
  'sundays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sun|mon|tues?|wednes|wed|thurs?|thu|fri|sat'
const unitName =
  '(?<unit>msecs?|milliseconds?|ms|microseconds?|usecs?|µs|sec(?:ond)?s?|min(?:ute)?s?|hours?|weekdays?|days?|' +
  `weeks?|fortnights?|forthnights?|months?|years?|${weekdayNames})(?![a-z])`
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
const counts = new Map([
  ...ordinals.split(' ').map((word, index): [string, number] => [word, index + 1]),
  ['eight', 8],
  ['next', 1],
  ['last', -1],
  ['previous', -1],
  ['this', 0],
])
const countWord = `(?<count>${[...counts.keys()].join('|')})`

function countOf(word = ''): number {
  return counts.get(word.toLowerCase()) ?? 0
}

const units: [pattern: RegExp, unit: keyof Fields, factor: number][] = [
  [/^(msec|millisecond|ms)/, 'millisecond', 1],
  [/^(microsecond|usec|µs)/, 'millisecond', 0.001],
  [/^sec/, 'second', 1],
  [/^min/, 'minute', 1],
  [/^hour/, 'hour', 1],
  [/^day/, 'day', 1],
  [/^weeks?$/, 'day', 7],
  [/^fort/, 'day', 14],
  [/^month/, 'month', 1],
  [/^year/, 'year', 1],
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
  reading.shift.day += (amount > 0 ? amount - 1 : amount) * 7
  reading.weekday = { day, choice }
}

function isWeekday(unit: string): boolean {
  return findWeekday(unit.toLowerCase()) !== undefined || /^weekdays?$/i.test(unit)
}

function relativeDay(pattern: string, days: number): Rule {
  return {
    pattern,
    apply(reading) {
      reading.clearTime()
      reading.shift.day += days
    },
  }
}

/** How far from another date (https://www.php.net/datetime.formats.relative). */
const relativeRules: readonly Rule[] = [
  { pattern: 'now', apply() {} },
  relativeDay('(?:today|midnight)', 0),
  relativeDay('tomorrow', 1),
  relativeDay('yesterday', -1),
  {
    pattern: '(?<edge>first|last) day of',
    apply(reading, { edge }) {
      reading.edgeOfMonth = edge?.toLowerCase() === 'first' ? 'first' : 'last'
    },
  },
  {
    pattern: `${countWord}[ \\t]+(?<unit>${weekdayNames})[ \\t]+of`,
    apply(reading, { count: word, unit = '' }) {
      const count = countOf(word)
      reading.clearTime()
      reading.weekdayOfMonth = count > 0 ? 'counted' : 'last'
      shiftBy(reading, count, { unit, choice: count > 0 ? 'here' : 'next' })
    },
  },
  {
    pattern: '(?<count>next|last|previous|this)[ \\t]+week(?![a-z])',
    apply(reading, { count }) {
      reading.shift.day += countOf(count) * 7
      reading.weekday = { day: reading.weekday?.day ?? 1, choice: 'thisWeek' }
    },
  },
  {
    pattern: `${countWord}[ \\t]+${unitName}`,
    apply(reading, { count, unit = '' }) {
      if (isWeekday(unit)) reading.clearTime()
      const choice = count?.toLowerCase() === 'this' ? 'here' : 'next'
      shiftBy(reading, countOf(count), { unit, choice })
    },
  },
  {
    pattern: `(?<signs>[+-]*)[ \\t]*(?<count>[0-9]{1,13})[ \\t]*${unitName}`,
    apply(reading, { signs = '', count, unit = '' }) {
      const isNegative = signs.split('-').length % 2 === 0
      shiftBy(reading, isNegative ? -Number(count) : Number(count), { unit, choice: 'here' })
    },
  },
  {
    pattern: `(?<unit>${weekdayNames})`,
    apply(reading, { unit = '' }) {
      reading.clearTime()
      const choice = reading.weekday?.choice === 'thisWeek' ? 'thisWeek' : 'here'
      reading.weekday = { day: findWeekday(unit) ?? 0, choice }
    },
  },
  { pattern: 'ago', apply: invert },
]

/** `ago` turns all that was said before it round. */
function invert(reading: Reading): void {
  const { shift, weekday } = reading
  for (const unit of [...dateUnits, ...clockUnits]) shift[unit] = 0 - shift[unit]
  reading.workingDays = 0 - reading.workingDays
  if (weekday !== undefined) reading.weekday = { ...weekday, day: 0 - (weekday.day || 7) }
}

/** Every form. Of two that fit the same part, the first counts. */
export const rules = [...timeRules, ...dateRules, ...relativeRules]
