import {
  type Civil,
  civilToMs,
  type DateTime,
  dayOfWeek,
  dayOfYear,
  daysFromCivil,
  toCivil,
  type Week,
  type WeekRule,
  weekOf,
} from '../../dates/date-time.ts'
import { formatOffset } from '../../dates/zones.ts'
import { runtimeFault } from '../../errors.ts'
import type { Render } from '../../runtime/render.ts'
import { kept } from '../kept.ts'
import { lateWeekRegions, quarterNames } from './codes.ts'

/** What a pattern is filled with. */
export interface PatternDate {
  readonly moment: DateTime
  readonly locale: string
  readonly render: Render
}

/** Formatting a field takes some microseconds. */
const fieldSteps = 50

/** No pattern that anybody writes is longer. */
const longestPattern = 200

const piece = /'((?:[^']|'')*)(?:'|$)|([A-Za-z])\2*|[^A-Za-z']+/g

/**
 * A date in a pattern of CLDR, as PHP's IntlDateFormatter takes it: `EEEE d MMMM y, HH:mm`.
 *
 * @throws TwigError for letters that CLDR does not have, for those that Node's Intl has no names for, and in
 * another calendar than the Gregorian one.
 * @see https://unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table
 */
export function formatPattern(pattern: string, date: PatternDate): string {
  if (pattern.length > longestPattern) throw runtimeFault('The date pattern is too long.')
  if (formatter(date, {}).resolvedOptions().calendar !== 'gregory') {
    throw runtimeFault('A date pattern is only supported in the Gregorian calendar.')
  }
  const civil = toCivil(date.moment)
  return pattern.replace(piece, (all: string, quoted: string | undefined, letter: string) => {
    if (quoted !== undefined) return all === "''" ? "'" : quoted.replaceAll("''", "'")
    return letter === undefined ? all : field(letter, all.length, { ...date, civil })
  })
}

interface FieldDate extends PatternDate {
  readonly civil: Civil
}

function field(letter: string, width: number, date: FieldDate): string {
  date.render.budget.spend(fieldSteps)
  const value = fields[letter]?.(width, date)
  if (typeof value === 'number') return digits(value, width, date)
  if (value !== undefined) return value
  const language = date.locale.replace('-u-ca-gregory', '')
  throw runtimeFault(
    `"${letter.repeat(width)}" in a date pattern is not supported in "${language}".`,
  )
}

/** A number in the digits of the locale. */
function digits(value: number, width: number, { locale, render }: PatternDate): string {
  const options = { useGrouping: false, minimumIntegerDigits: Math.min(width, 21) }
  const make = () => new Intl.NumberFormat(locale, options)
  return kept(render, `digits ${locale} ${options.minimumIntegerDigits}`, make).format(value)
}

/** A number is padded to the width. Undefined: Intl has no data for it. */
type Field = (width: number, date: FieldDate) => number | string | undefined

const fields: Record<string, Field> = {
  G: (width, date) => part(date, 'era', { era: style(width) }),
  y: (width, { civil }) => shortened(civil.year, width),
  U: (width, { civil }) => shortened(civil.year, width),
  Y: (width, date) => shortened(week(date).year, width),
  u: (_width, { civil }) => civil.year,
  r: (_width, { civil }) => civil.year,
  Q: quarter,
  q: quarter,
  M: (width, date) => month(width, date, { day: 'numeric' }),
  L: (width, date) => month(width, date, width === 4 ? { year: 'numeric' } : {}),
  w: (_width, date) => week(date).week,
  W: (_width, date) => week(date).weekOfMonth,
  d: (_width, { civil }) => civil.day,
  D: (_width, { civil }) => dayOfYear(civil) + 1,
  F: (_width, { civil }) => Math.ceil(civil.day / 7),
  g: (_width, { civil }) => daysFromCivil(civil) + julianDayOf1970,
  E: (width, date) => name(width, date, 'weekday', { day: 'numeric' }),
  e: (width, date) =>
    width < 3 ? dayOfLocalWeek(date) : name(width, date, 'weekday', { day: 'numeric' }),
  c: (width, date) =>
    width < 3 ? digits(dayOfLocalWeek(date), 1, date) : name(width, date, 'weekday', {}),
  a: halfDay,
  b: (width, date) => noon(width, date) ?? halfDay(width, date),
  B: (width, date) => (width > 5 ? undefined : dayPeriod(width, date)),
  H: (_width, { civil }) => civil.hour,
  k: (_width, { civil }) => civil.hour || 24,
  h: (_width, { civil }) => civil.hour % 12 || 12,
  K: (_width, { civil }) => civil.hour % 12,
  m: (_width, { civil }) => civil.minute,
  s: (_width, { civil }) => civil.second,
  S: (width, { civil }) => Math.floor(Math.floor(civil.millisecond) * 10 ** (width - 3)),
  A: (_width, { civil }) => Math.floor(civilToMs({ ...civil, year: 1970, month: 1, day: 1 })),
  z: (width, date) => zoneName(width < 4 ? 1 : width, date, ['short', 'long']),
  Z: (width, date) =>
    width === 4 ? offset(4, date) : isoOffset(width < 4 ? 4 : width, date, width === 5),
  O: offset,
  v: (width, date) => zoneName(width, date, ['shortGeneric', 'longGeneric']),
  V: (width, { moment: { zone } }) =>
    width === 2 ? `${zone.type === 'offset' ? 'GMT' : ''}${zone.name}` : undefined,
  X: (width, date) => isoOffset(width, date, true),
  x: (width, date) => isoOffset(width, date, false),
}

/** The Julian day that began at noon of 1970-01-01. */
const julianDayOf1970 = 2_440_588

function style(width: number): 'short' | 'long' | 'narrow' {
  if (width < 4) return 'short'
  return width === 4 ? 'long' : 'narrow'
}

/** A year of its era, or the last two digits of it. */
function shortened(year: number, width: number): number {
  const inEra = year > 0 ? year : 1 - year
  return width === 2 ? inEra % 100 : inEra
}

function quarter(width: number, { civil, locale }: FieldDate): number | string | undefined {
  const number = Math.ceil(civil.month / 3)
  if (width < 3) return number
  const { language, script, region } = new Intl.Locale(locale).maximize()
  const keys = [`${language}-${script}`, `${language}-${region}`, language]
  const names = keys.map((key) => quarterNames.get(key)).find((one) => one !== undefined)
  const [first, ...others] = names?.[width - 3]?.split('|') ?? []
  return others.length > 0 ? [first, ...others][number - 1] : first?.replace('#', String(number))
}

function month(width: number, date: FieldDate, context: Intl.DateTimeFormatOptions) {
  return width < 3 || width > 5 ? date.civil.month : name(width, date, 'month', context)
}

/** A name as it is within a date or alone. Undefined where Intl has only its number, or for another width. */
function name(
  width: number,
  date: FieldDate,
  type: 'month' | 'weekday',
  context: Intl.DateTimeFormatOptions,
): string | undefined {
  if (width > 5) return undefined
  const alone = { [type]: style(width) }
  const written = part(date, type, { ...context, ...alone })
  if (!isNumber(written)) return written
  const whole = formatter(date, alone).format(date.moment.epochMs)
  return width === 5 || isNumber(whole) ? undefined : whole
}

function isNumber(text: string): boolean {
  return /^\p{Nd}+$/u.test(text)
}

/** The rule of the locale's region for weeks. */
function week(date: FieldDate): Week {
  return weekOf(date.civil, weekRule(date))
}

/** `getWeekInfo` is not yet in TypeScript's libraries of ES2024. */
type LocaleWithWeeks = Intl.Locale & { getWeekInfo(): { firstDay: number } }

function weekRule({ locale, render }: PatternDate): WeekRule {
  return kept(render, `weeks ${locale}`, () => {
    const intl = new Intl.Locale(locale).maximize() as LocaleWithWeeks
    const isLate = lateWeekRegions.includes(intl.region ?? '')
    return { firstDay: intl.getWeekInfo().firstDay % 7, daysMin: isLate ? 4 : 1 }
  })
}

/** From 1, the first day of a week in the locale. */
function dayOfLocalWeek(date: FieldDate): number {
  return ((dayOfWeek(date.civil) - weekRule(date).firstDay + 7) % 7) + 1
}

function halfDay(width: number, date: FieldDate): string | undefined {
  return width > 4 ? undefined : part(date, 'dayPeriod', { hour: 'numeric', hour12: true })
}

/** The part of the day, such as "in the afternoon"; at 12:00 it is noon. */
function dayPeriod(width: number, date: PatternDate): string {
  const exact = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h12' } as const
  return part(date, 'dayPeriod', { ...exact, dayPeriod: style(width) })
}

/** The name of noon; undefined at other times, and where the hours around it have the same name. */
function noon(width: number, date: FieldDate): string | undefined {
  if (date.civil.hour !== 12 || width > 5) return undefined
  const laterMs = date.moment.epochMs + (30 - date.civil.minute) * 60_000
  const later = { ...date, moment: { ...date.moment, epochMs: laterMs } }
  const [name, nameLater] = [dayPeriod(width, date), dayPeriod(width, later)]
  return name === nameLater ? undefined : name
}

type ZoneStyle = Exclude<Intl.DateTimeFormatOptions['timeZoneName'], undefined>

/** The name of the zone in one of two styles, for one letter and for four. */
function zoneName(
  width: number,
  date: FieldDate,
  [short, long]: [ZoneStyle, ZoneStyle],
): string | undefined {
  if (width !== 1 && width !== 4) return undefined
  const written = part(date, 'timeZoneName', { timeZoneName: width === 1 ? short : long })
  // CLDR writes "GMT" for "GMT+0".
  return offsetOf(date) === 0 ? written.replace(/\P{L}+\p{Nd}.*$/u, '') : written
}

function offset(width: number, date: FieldDate): string | undefined {
  return zoneName(width, date, ['shortOffset', 'longOffset'])
}

function isoOffset(width: number, date: FieldDate, isZulu: boolean): string | undefined {
  const seconds = offsetOf(date)
  if (width > 5) return undefined
  if (isZulu && seconds === 0) return 'Z'
  const written = formatOffset(seconds, width === 3 || width === 5 ? ':' : '')
  return width === 1 ? written.replace(/00$/, '') : written
}

function offsetOf({ moment }: PatternDate): number {
  return moment.zone.offsetAt(moment.epochMs)
}

function part(
  date: PatternDate,
  type: Intl.DateTimeFormatPartTypes,
  options: Intl.DateTimeFormatOptions,
): string {
  const parts = formatter(date, options).formatToParts(date.moment.epochMs)
  return parts.find((one) => one.type === type)?.value ?? ''
}

function formatter(
  { moment, locale, render }: PatternDate,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const all = { ...options, timeZone: intlZone(moment) }
  const make = () => new Intl.DateTimeFormat(locale, all)
  return kept(render, `part ${locale} ${JSON.stringify(all)}`, make)
}

/** A date's zone as Intl takes it: its name, or its offset then. */
export function intlZone({ zone, epochMs }: DateTime): string {
  return zone.type === 'named' ? zone.name : formatOffset(zone.offsetAt(epochMs), ':')
}
