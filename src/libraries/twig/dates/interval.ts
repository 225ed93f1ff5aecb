import type { Budget } from '../budget.ts'
import { toText } from '../values/conversions.ts'
import type { ObjectKind } from '../values/value.ts'
import {
  type Civil,
  civilFromMs,
  civilToMs,
  clockUnits,
  type DateTime,
  dateUnits,
  daysInMonth,
  type Fields,
  toCivil,
} from './date-time.ts'
import { longestLetter, stepsALetter, two } from './format-date.ts'

/** The time between two dates, in the units of the calendar. */
export interface Interval extends Civil {
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
  const start = isSameZone ? toCivil(early) : civilFromMs(early.epochMs)
  const end = isSameZone ? toCivil(late) : civilFromMs(late.epochMs)
  const span = civilToMs(end) - civilToMs(start)
  return {
    ...subtract(end, start, isInverted),
    isInverted,
    totalDays: Math.floor(span / 86_400_000),
  }
}

/** The units of the clock, each with its number in the next greater one. */
const carries = [
  ['millisecond', 1000, 'second'],
  ['second', 60, 'minute'],
  ['minute', 60, 'hour'],
  ['hour', 24, 'day'],
] as const

/** Subtracts, so that every field is positive and smaller than one of the next greater unit. */
function subtract(end: Civil, start: Civil, isInverted: boolean): Fields {
  const left: Fields = { ...end }
  for (const unit of [...dateUnits, ...clockUnits]) left[unit] -= start[unit]
  for (const [unit, size, greater] of carries) {
    while (left[unit] < 0) {
      left[unit] += size
      left[greater]--
    }
  }
  const { year, month } = isInverted ? start : end
  let current = year * 12 + month - 1
  while (left.day < 0) {
    if (!isInverted) current--
    left.day += daysInMonth(Math.floor(current / 12), (current % 12) + 1)
    if (isInverted) current++
    left.month--
  }
  while (left.month < 0) {
    left.month += 12
    left.year--
  }
  return left
}

/** Units by their letters: small in attributes and formats, or capital for two digits at least. */
const units = { y: 'year', m: 'month', d: 'day', h: 'hour', i: 'minute', s: 'second' } as const

const formats: Record<string, (interval: Interval) => string | number> = {
  a: ({ totalDays }) => totalDays,
  F: ({ millisecond }) => String(Math.round(millisecond * 1000)).padStart(6, '0'),
  f: ({ millisecond }) => Math.round(millisecond * 1000),
  R: ({ isInverted }) => (isInverted ? '-' : '+'),
  r: ({ isInverted }) => (isInverted ? '-' : ''),
  '%': () => '%',
}
const attributes: Record<string, (interval: Interval) => number> = {
  f: ({ millisecond }) => millisecond / 1000,
  invert: ({ isInverted }) => (isInverted ? 1 : 0),
  days: ({ totalDays }) => totalDays,
}
for (const [letter, unit] of Object.entries(units)) {
  attributes[letter] = formats[letter] = (interval) => interval[unit]
  formats[letter.toUpperCase()] = (interval) => two(interval[unit])
}

/** An interval in the letters of PHP's `DateInterval::format`: `%a days`. */
export function formatInterval(interval: Interval, format: string, budget: Budget): string {
  budget.allocateText(format.length * longestLetter)
  budget.spend(format.length * stepsALetter)
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) => {
    const text = Object.hasOwn(formats, letter) ? formats[letter]?.(interval) : undefined
    return text === undefined ? all : String(text)
  })
}

/** The time between two dates as templates hold it: `interval.days`, `interval.format('%a')`. */
export const intervalKind: ObjectKind<Interval> = {
  className: 'DateInterval',
  attribute: (interval, name) =>
    Object.hasOwn(attributes, name) ? attributes[name]?.(interval) : undefined,
  call(interval, method, args, budget) {
    if (method.toLowerCase() !== 'format') return undefined
    return formatInterval(interval, toText(args[0] ?? ''), budget)
  },
}
