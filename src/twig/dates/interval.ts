import type { Budget } from '../budget.ts'
import { toText } from '../values/conversions.ts'
import type { ObjectKind } from '../values/value.ts'
import { type Civil, civilToMs, type DateTime, daysInMonth, toCivil } from './date-time.ts'
import type { Shift } from './reading.ts'

/** The time between two dates, in the units of the calendar. */
export interface Interval extends Readonly<Shift> {
  /** The second date lies before the first. */
  readonly isInverted: boolean
  /** Whole days between them. */
  readonly totalDays: number
}

/** What lies between two dates, as PHP's `DateTime::diff` counts it. */
export function difference(from: DateTime, to: DateTime): Interval {
  const isInverted = to.epochMs < from.epochMs
  const [early, late] = isInverted ? [to, from] : [from, to]
  // In one zone the civil times count, else both are taken in UTC.
  const isSameZone = early.zone.name === late.zone.name && early.zone.type === 'named'
  const start = isSameZone ? toCivil(early) : utcCivil(early)
  const end = isSameZone ? toCivil(late) : utcCivil(late)
  const span = civilToMs(end) - civilToMs(start)
  return {
    ...borrow(subtract(end, start), isInverted ? start : end, isInverted),
    isInverted,
    totalDays: Math.floor(span / 86_400_000),
  }
}

function utcCivil(date: DateTime): Civil {
  return toCivil({ epochMs: date.epochMs, zone: { ...date.zone, offsetAt: () => 0 } })
}

function subtract(end: Civil, start: Civil): Shift {
  return {
    years: end.year - start.year,
    months: end.month - start.month,
    days: end.day - start.day,
    hours: end.hour - start.hour,
    minutes: end.minute - start.minute,
    seconds: end.second - start.second,
    milliseconds: end.millisecond - start.millisecond,
  }
}

/** The units of the clock, each with its number in the next greater one. */
const clockUnits = [
  ['milliseconds', 1000, 'seconds'],
  ['seconds', 60, 'minutes'],
  ['minutes', 60, 'hours'],
  ['hours', 24, 'days'],
] as const

/** Makes every field positive and smaller than one of the next greater unit. */
function borrow(fields: Shift, month: Civil, isInverted: boolean): Shift {
  const borrowed = { ...fields }
  for (const [unit, size, greater] of clockUnits) {
    while (borrowed[unit] < 0) {
      borrowed[unit] += size
      borrowed[greater]--
    }
  }
  let current = month.year * 12 + month.month - 1
  while (borrowed.days < 0) {
    if (!isInverted) current--
    borrowed.days += daysInMonth(Math.floor(current / 12), (current % 12) + 1)
    if (isInverted) current++
    borrowed.months--
  }
  while (borrowed.months < 0) {
    borrowed.months += 12
    borrowed.years--
  }
  return borrowed
}

const formats: Record<string, (interval: Interval) => string | number> = {
  Y: ({ years }) => two(years),
  y: ({ years }) => years,
  M: ({ months }) => two(months),
  m: ({ months }) => months,
  D: ({ days }) => two(days),
  d: ({ days }) => days,
  a: ({ totalDays }) => totalDays,
  H: ({ hours }) => two(hours),
  h: ({ hours }) => hours,
  I: ({ minutes }) => two(minutes),
  i: ({ minutes }) => minutes,
  S: ({ seconds }) => two(seconds),
  s: ({ seconds }) => seconds,
  F: ({ milliseconds }) => String(Math.round(milliseconds * 1000)).padStart(6, '0'),
  f: ({ milliseconds }) => Math.round(milliseconds * 1000),
  R: ({ isInverted }) => (isInverted ? '-' : '+'),
  r: ({ isInverted }) => (isInverted ? '-' : ''),
  '%': () => '%',
}

/** One letter of a format prints at most so many characters. */
const longestLetter = 40
const stepsALetter = 3

/** An interval in the letters of PHP's `DateInterval::format`: `%a days`. */
export function formatInterval(interval: Interval, format: string, budget: Budget): string {
  budget.allocateText(format.length * longestLetter)
  budget.spend(format.length * stepsALetter)
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) => {
    const text = Object.hasOwn(formats, letter) ? formats[letter]?.(interval) : undefined
    return text === undefined ? all : String(text)
  })
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

const attributes = new Map<string, (interval: Interval) => number>([
  ['y', ({ years }) => years],
  ['m', ({ months }) => months],
  ['d', ({ days }) => days],
  ['h', ({ hours }) => hours],
  ['i', ({ minutes }) => minutes],
  ['s', ({ seconds }) => seconds],
  ['f', ({ milliseconds }) => milliseconds / 1000],
  ['invert', ({ isInverted }) => (isInverted ? 1 : 0)],
  ['days', ({ totalDays }) => totalDays],
])

/** The time between two dates as templates hold it: `interval.days`, `interval.format('%a')`. */
export const intervalKind: ObjectKind<Interval> = {
  className: 'DateInterval',
  attribute: (interval, name) => attributes.get(name)?.(interval),
  call(interval, method, args, budget) {
    if (method.toLowerCase() !== 'format') return undefined
    return formatInterval(interval, toText(args[0] ?? ''), budget)
  },
}
