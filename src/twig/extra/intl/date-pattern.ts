import {
  type Civil,
  type DateTime,
  dayOfWeek,
  dayOfYear,
  isoWeek,
  toCivil,
} from '../../dates/date-time.ts'
import { formatOffset } from '../../dates/zones.ts'
import { runtimeFault } from '../../errors.ts'
import type { Render } from '../../runtime/render.ts'
import { kept } from '../kept.ts'

/** What a pattern is filled with. */
export interface PatternDate {
  readonly moment: DateTime
  readonly locale: string
  readonly render: Render
}

/** What it takes to format one part. */
const partSteps = 50

/** No pattern that anybody writes is longer. */
const longestPattern = 200

const piece = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g

/**
 * A date in a pattern of CLDR, as PHP's IntlDateFormatter takes it
 * (https://unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table): `EEEE d MMMM y, HH:mm`.
 */
export function formatPattern(pattern: string, date: PatternDate): string {
  if (pattern.length > longestPattern) throw runtimeFault('The date pattern is too long.')
  const civil = toCivil(date.moment)
  return pattern.replace(piece, (all: string, quoted: string | undefined, letter: string) => {
    if (quoted !== undefined) return quoted === '' ? "'" : quoted.replaceAll("''", "'")
    return letter === undefined ? all : field(letter, all.length, { ...date, civil })
  })
}

interface FieldDate extends PatternDate {
  readonly civil: Civil
}

function field(letter: string, width: number, date: FieldDate): string {
  const numeric = numbers[letter]
  if (numeric !== undefined) return String(numeric(date)).padStart(width, '0')
  const worded = words[letter]
  if (worded !== undefined) return worded(width, date)
  throw runtimeFault(`The letter "${letter}" of a date pattern is not supported.`)
}

const weekday = ({ civil }: FieldDate): number => dayOfWeek(civil.year, civil.month, civil.day)

/** Fields that are numbers, whatever their width. */
const numbers: Record<string, (date: FieldDate) => number> = {
  u: ({ civil }) => civil.year,
  d: ({ civil }) => civil.day,
  D: ({ civil }) => dayOfYear(civil.year, civil.month, civil.day) + 1,
  F: ({ civil }) => Math.floor((civil.day - 1) / 7) + 1,
  w: ({ civil }) => isoWeek(civil.year, civil.month, civil.day).week,
  Y: ({ civil }) => isoWeek(civil.year, civil.month, civil.day).year,
  H: ({ civil }) => civil.hour,
  k: ({ civil }) => civil.hour || 24,
  h: ({ civil }) => civil.hour % 12 || 12,
  K: ({ civil }) => civil.hour % 12,
  m: ({ civil }) => civil.minute,
  s: ({ civil }) => civil.second,
}

/** Fields that are words at some width. */
const words: Record<string, (width: number, date: FieldDate) => string> = {
  G: (width, date) => part(date, 'era', { era: style(width) }),
  y: (width, { civil }) =>
    width === 2
      ? String(civil.year % 100).padStart(2, '0')
      : String(civil.year).padStart(width, '0'),
  Q: (width, { civil }) => quarter(width, civil),
  q: (width, { civil }) => quarter(width, civil),
  M: (width, date) => month(width, date, { day: 'numeric' }),
  L: (width, date) => month(width, date, {}),
  E: (width, date) => part(date, 'weekday', { weekday: style(width) }),
  e: (width, date) => dayInWeek(width, date),
  c: (width, date) => dayInWeek(width, date),
  a: (_width, date) => part(date, 'dayPeriod', { hour: 'numeric', hour12: true }),
  S: (width, { civil }) =>
    String(Math.floor(civil.millisecond * 1000))
      .padStart(6, '0')
      .padEnd(width, '0')
      .slice(0, width),
  z: (width, date) => part(date, 'timeZoneName', { timeZoneName: width < 4 ? 'short' : 'long' }),
  v: (width, date) =>
    part(date, 'timeZoneName', { timeZoneName: width < 4 ? 'shortGeneric' : 'longGeneric' }),
  V: (_width, { moment }) => moment.zone.name,
  O: (width, date) =>
    part(date, 'timeZoneName', { timeZoneName: width < 4 ? 'shortOffset' : 'longOffset' }),
  Z: (width, { moment }) => offset(moment, width === 5 ? ':' : '', width === 5),
  X: (width, { moment }) => offset(moment, width === 3 || width === 5 ? ':' : '', true),
  x: (width, { moment }) => offset(moment, width === 3 || width === 5 ? ':' : '', false),
}

function style(width: number): 'short' | 'long' | 'narrow' {
  if (width < 4) return 'short'
  return width === 4 ? 'long' : 'narrow'
}

function quarter(width: number, civil: Civil): string {
  const number = Math.ceil(civil.month / 3)
  return width < 3 ? String(number).padStart(width, '0') : `Q${number}`
}

function month(width: number, date: FieldDate, context: Intl.DateTimeFormatOptions): string {
  if (width < 3) return String(date.civil.month).padStart(width, '0')
  return part(date, 'month', { ...context, month: style(width === 3 ? 1 : width) })
}

function dayInWeek(width: number, date: FieldDate): string {
  if (width < 3) return String(weekday(date) || 7).padStart(width, '0')
  return part(date, 'weekday', { weekday: style(width === 3 ? 1 : width) })
}

function offset(moment: DateTime, separator: string, isZulu: boolean): string {
  const seconds = moment.zone.offsetAt(moment.epochMs)
  return isZulu && seconds === 0 ? 'Z' : formatOffset(seconds, separator)
}

function part(
  { moment, locale, render }: FieldDate,
  type: Intl.DateTimeFormatPartTypes,
  options: Intl.DateTimeFormatOptions,
): string {
  const all = { ...options, timeZone: intlZone(moment) }
  render.budget.spend(partSteps)
  const formatter = kept(
    render,
    `part ${locale} ${JSON.stringify(all)}`,
    () => new Intl.DateTimeFormat(locale, all),
  )
  return formatter.formatToParts(moment.epochMs).find((found) => found.type === type)?.value ?? ''
}

/** A date's zone as Intl takes it: its name, or its offset then. */
export function intlZone({ zone, epochMs }: DateTime): string {
  return zone.type === 'named' ? zone.name : formatOffset(zone.offsetAt(epochMs), ':')
}
