import { civilFromMs, daysFromCivil } from './date-time.ts'
import { findMonth } from './names.ts'
import { fraction, type Reading, type Rule } from './reading.ts'

const monthName =
  '(january|february|march|april|may|june|july|august|september|october|november|december|' +
  'jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|xii|xi|x|ix|viii|vii|vi|v|iv|iii|ii|i)\\b\\.?'
const dayNumber = '([0-2]?[0-9]|3[01])(?:st|nd|rd|th)?'
const gap = '[ \\t.\\-]*'
const month = '(1[0-2]|0?[0-9])'
const day = '(3[01]|[0-2]?[0-9])'
const year4 = '([0-9]{4})'
const clock = '([01]?[0-9]|2[0-4])[:.]?([0-5][0-9])[:.]?([0-5][0-9]|60)'

/** Two digits are a year of our time: 70 to 99 of the last century. */
function fullYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 70 ? 2000 + year : 1900 + year
}

type Order = 'ymd' | 'mdy' | 'dmy'

function date(pattern: string, apply: Rule['apply']): Rule {
  return { pattern, sets: 'date', apply }
}

function numbers(pattern: string, order: Order): Rule {
  return date(pattern, (reading, parts) => {
    const part = (letter: string): string => parts[order.indexOf(letter)] ?? ''
    reading.setDate(fullYear(part('y')), Number(part('m')), Number(part('d')))
  })
}

function named(pattern: string, order: string): Rule {
  return date(pattern, (reading, parts) => {
    const part = (letter: string): string | undefined => parts[order.indexOf(letter)]
    const year = part('y')
    reading.setDate(
      year === undefined ? undefined : fullYear(year),
      findMonth(part('m') ?? '') ?? 1,
      order.includes('d') ? Number(part('d')) : 1,
    )
  })
}

/** Dates, as `strtotime` reads them (https://www.php.net/datetime.formats.date). */
export const dateRules: readonly Rule[] = [
  numbers(`([+-]?[0-9]{4})-${month}-${day}`, 'ymd'),
  numbers(`([0-9]{1,4})-${month}-${day}`, 'ymd'),
  numbers(`${year4}/${month}/${day}/?`, 'ymd'),
  numbers(`${month}/${day}/([0-9]{4}|[0-9]{2})`, 'mdy'),
  numbers(`${day}[.\\t-]${month}[.-]${year4}`, 'dmy'),
  numbers(`${day}[.\\t]${month}\\.([0-9]{2})`, 'dmy'),
  numbers('([0-9]{4})(0[0-9]|1[0-2])([0-2][0-9]|3[01])', 'ymd'),
  date(`${month}/${day}`, (reading, [m, d]) => reading.setDate(undefined, Number(m), Number(d))),
  date(`${year4}-${month}`, (reading, [y, m]) => reading.setDate(Number(y), Number(m), 1)),
  named(`${dayNumber}${gap}${monthName}${gap}([0-9]{4}|[0-9]{2}(?![0-9:]))`, 'dmy'),
  named(`${monthName}${gap}${dayNumber}[ ,.\\t]+([0-9]{4})(?!:)`, 'mdy'),
  named(`${monthName}-${dayNumber}-([0-9]{4}|[0-9]{2})`, 'mdy'),
  named(`([0-9]{4}|[0-9]{2})-${monthName}-${dayNumber}`, 'ymd'),
  named(`${monthName}${gap}([0-9]{4})`, 'my'),
  named(`([0-9]{4})${gap}${monthName}`, 'ym'),
  named(`${monthName}${gap}${dayNumber}(?![0-9:])[,. \\t]*`, 'md'),
  named(`${dayNumber}${gap}${monthName}`, 'dm'),
  date(monthName, (reading, [name]) => {
    reading.hasDate = true
    reading.month = findMonth(name ?? '')
  }),
  date(`${year4}-?W(5[0-3]|[0-4][0-9])(?:-?([0-7]))?`, (reading, [y, week, weekday]) =>
    setIsoWeek(reading, Number(y), Number(week), Number(weekday ?? 1)),
  ),
  date('([0-9]{4})[.-]?([0-3][0-9]{2})', (reading, [y, days]) =>
    reading.setDate(Number(y), 1, Number(days)),
  ),
  date(
    `${day}/${monthName.replace('\\.?', '')}/${year4}:${clock}`,
    (reading, [d, m, y, hour, minute, second]) => {
      reading.setDate(Number(y), findMonth(m ?? '') ?? 1, Number(d))
      reading.setTime(Number(hour), Number(minute), Number(second))
    },
  ),
  date(
    `([0-9]{4})[:]?(0[0-9]|1[0-2])[:]?([0-2][0-9]|3[01])[t ]?${clock}(?:[.,]([0-9]{1,9}))?`,
    (reading, [y, m, d, hour, minute, second, part]) => {
      reading.setDate(Number(y), Number(m), Number(d))
      reading.setTime(Number(hour), Number(minute), Number(second))
      reading.millisecond = fraction(part)
    },
  ),
]

function setIsoWeek(reading: Reading, year: number, week: number, weekday: number): void {
  const fourth = daysFromCivil(year, 1, 4)
  const monday = fourth - ((((fourth + 3) % 7) + 7) % 7)
  const days = monday + (week - 1) * 7 + weekday - 1
  const date = civilFromMs(days * 86_400_000)
  reading.setDate(date.year, date.month, date.day)
}
