import type { Budget } from '../budget.ts'
import {
  type Civil,
  type DateTime,
  dayOfWeek,
  dayOfYear,
  daysInMonth,
  toCivil,
  weekOf,
} from './date-time.ts'
import { dayNames, monthNames } from './names.ts'
import { formatOffset } from './zones.ts'

/** One letter of a format prints at most so many characters. */
export const longestLetter = 40
/** What the offset of a zone takes, each letter, and the abbreviation of a zone. */
const dateSteps = 50
export const stepsALetter = 3
const abbreviationSteps = 500

type Letter = (civil: Civil, date: DateTime) => string | number

export const two = (value: number): string => String(value).padStart(2, '0')
const twelve = (hour: number): number => hour % 12 || 12

const letters: Record<string, Letter> = {
  // Day
  d: ({ day }) => two(day),
  D: (civil) => weekdayName(civil).slice(0, 3),
  j: ({ day }) => day,
  l: weekdayName,
  N: (civil) => dayOfWeek(civil) || 7,
  S: ({ day }) => englishSuffix(day),
  w: dayOfWeek,
  z: dayOfYear,
  // Week
  W: (civil) => two(weekOf(civil).week),
  o: (civil) => weekOf(civil).year,
  // Month
  F: ({ month }) => monthNames[month - 1] ?? '',
  m: ({ month }) => two(month),
  M: ({ month }) => (monthNames[month - 1] ?? '').slice(0, 3),
  n: ({ month }) => month,
  t: ({ year, month }) => daysInMonth(year, month),
  // Year
  L: ({ year }) => (daysInMonth(year, 2) === 29 ? 1 : 0),
  Y: ({ year }) => fourDigits(year),
  y: ({ year }) => two(((year % 100) + 100) % 100),
  x: ({ year }) => (year >= 0 && year <= 9999 ? fourDigits(year) : signed(year)),
  X: ({ year }) => signed(year),
  // Time
  a: ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  A: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  B: (_, { epochMs }) => internetTime(epochMs),
  g: ({ hour }) => twelve(hour),
  G: ({ hour }) => hour,
  h: ({ hour }) => two(twelve(hour)),
  H: ({ hour }) => two(hour),
  i: ({ minute }) => two(minute),
  s: ({ second }) => two(second),
  u: ({ millisecond }) => String(Math.floor(millisecond * 1000 + 0.01)).padStart(6, '0'),
  v: ({ millisecond }) => String(Math.floor(millisecond)).padStart(3, '0'),
  // Zone
  e: (_, { zone }) => zone.name,
  I: (_, { zone, epochMs }) => (zone.isDaylightTimeAt(epochMs) ? 1 : 0),
  O: (_, { zone, epochMs }) => formatOffset(zone.offsetAt(epochMs), ''),
  P: (_, { zone, epochMs }) => formatOffset(zone.offsetAt(epochMs), ':'),
  p: (_, { zone, epochMs }) =>
    zone.offsetAt(epochMs) === 0 ? 'Z' : formatOffset(zone.offsetAt(epochMs), ':'),
  T: (_, { zone, epochMs }) => zone.abbreviationAt(epochMs),
  Z: (_, { zone, epochMs }) => zone.offsetAt(epochMs),
  // Whole
  U: (_, { epochMs }) => Math.floor(epochMs / 1000),
}

const whole: Record<string, string> = {
  c: 'Y-m-d\\TH:i:sP',
  r: 'D, d M Y H:i:s O',
}

/** A date in the letters of PHP's `date()` (https://www.php.net/datetime.format); `\` keeps a letter. */
export function formatDate(date: DateTime, format: string, budget: Budget): string {
  budget.allocateText(format.length * longestLetter)
  budget.spend(dateSteps + format.length * stepsALetter)
  const civil = toCivil(date)
  let text = ''
  for (let i = 0; i < format.length; i++) {
    const letter = format.charAt(i)
    const longer = whole[letter]
    if (letter === '\\') text += format.charAt(++i)
    else if (longer !== undefined) text += formatDate(date, longer, budget)
    else {
      // Intl is asked for it in one language after the other.
      if (letter === 'T') budget.spend(abbreviationSteps)
      text += Object.hasOwn(letters, letter) ? letters[letter]?.(civil, date) : letter
    }
  }
  return text
}

function weekdayName(civil: Civil): string {
  return dayNames[dayOfWeek(civil)] ?? ''
}

function englishSuffix(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function fourDigits(year: number): string {
  return (year < 0 ? '-' : '') + String(Math.abs(year)).padStart(4, '0')
}

function signed(year: number): string {
  return year < 0 ? fourDigits(year) : `+${fourDigits(year)}`
}

/** Swatch's beats, a thousand a day, counted in Biel. */
function internetTime(epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000) + 3600
  // In whole numbers: 43200 / 86.4 is a little less than 500.
  const beats = Math.floor(((((seconds % 86_400) + 86_400) % 86_400) * 10) / 864)
  return String(beats % 1000).padStart(3, '0')
}
