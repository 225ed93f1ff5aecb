import {
  type Civil,
  civilFromMs,
  civilToMs,
  type DateTime,
  dayOfWeek,
  fromCivil,
  latestMs,
  toCivil,
} from './date-time.ts'
import type { Reading } from './reading.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The date that a reading means, seen from another: what was not said is taken from there. */
export function resolve(
  reading: Reading,
  base: DateTime,
  { keepsTime }: { keepsTime: boolean },
): DateTime {
  // A changed date stays in its zone, unless the text is a moment.
  const staysInZone = keepsTime && !reading.isMoment
  const zone = staysInZone ? base.zone : (reading.zone ?? base.zone)
  const now = toCivil(base)
  // A day without a time is its midnight.
  const isMidnight = reading.hasDate && !reading.hasTime && !keepsTime
  const civil: Mutable<Civil> = {
    year: reading.year ?? now.year,
    month: reading.month ?? now.month,
    day: reading.day ?? now.day,
    hour: reading.hour ?? (isMidnight ? 0 : now.hour),
    minute: reading.minute ?? (isMidnight ? 0 : now.minute),
    second: reading.second ?? (isMidnight ? 0 : now.second),
    millisecond: reading.millisecond ?? (isMidnight ? 0 : now.millisecond),
  }
  const { shift } = reading
  moveToEdge(civil, reading)
  moveToWeekday(civil, reading)
  civil.year += shift.years
  civil.month += shift.months
  civil.day += shift.days
  if (reading.edgeOfMonth !== undefined) moveToEdge(civil, reading)
  moveWorkingDays(civil, reading.workingDays)
  // PHP moves the hands of the clock, whatever the zone does meanwhile.
  civil.hour += shift.hours
  civil.minute += shift.minutes
  civil.second += shift.seconds
  civil.millisecond += shift.milliseconds
  const { epochMs } = fromCivil(
    normalized(civil),
    zone,
    staysInZone ? zone.offsetAt(base.epochMs) : undefined,
  )
  if (!(Math.abs(epochMs) <= latestMs)) throw new RangeError('The date is out of range.')
  return { epochMs, zone }
}

function normalized(civil: Civil): Civil {
  return civilFromMs(civilToMs(civil))
}

function assignNormalized(civil: Mutable<Civil>): void {
  Object.assign(civil, normalized(civil))
}

/** `first day of`, `last day of`, and the month of `first monday of`. */
function moveToEdge(civil: Mutable<Civil>, reading: Reading): void {
  const { shift } = reading
  if (reading.weekdayOfMonth !== undefined) {
    civil.day = 1
    civil.month += shift.months + (reading.weekdayOfMonth === 'last' ? 1 : 0)
    shift.months = 0
  }
  if (reading.edgeOfMonth === 'first') civil.day = 1
  if (reading.edgeOfMonth === 'last') {
    civil.day = 0
    civil.month++
  }
  assignNormalized(civil)
}

function moveToWeekday(civil: Mutable<Civil>, reading: Reading): void {
  const { weekday, shift } = reading
  if (weekday === undefined) return
  const today = dayOfWeek(civil.year, civil.month, civil.day)
  if (weekday.choice === 'thisWeek') {
    // The week begins on Monday, so Sunday is its last day.
    civil.day += (weekday.day || 7) - (today || 7)
    return
  }
  if (weekday.day < 0) {
    civil.day -= 7 + weekday.day + today
    assignNormalized(civil)
    return
  }
  let days = weekday.day - today
  const nearest = weekday.choice === 'here' ? 0 : 1
  const isBack = shift.days < 0
  if ((isBack && days < 0) || (!isBack && days < nearest)) days += 7
  civil.day += days
  assignNormalized(civil)
}

/** Saturdays and Sundays don't count; whole weeks of five that end on one go to the weekday before it. */
function moveWorkingDays(civil: Mutable<Civil>, count: number): void {
  if (count === 0 || !Number.isFinite(count)) return
  assignNormalized(civil)
  const today = dayOfWeek(civil.year, civil.month, civil.day)
  const rest = count % 5
  civil.day +=
    Math.trunc(count / 5) * 7 + (count > 0 ? daysOn(today, rest) : -daysBack(today, -rest))
  assignNormalized(civil)
}

/** So many working days, fewer than five, on from a day of the week. */
function daysOn(today: number, rest: number): number {
  if (rest === 0) return [-2, 0, 0, 0, 0, 0, -1][today] ?? 0
  if (today === 6) return rest + 1
  return today + rest > 5 ? rest + 2 : rest
}

/** And back from it. */
function daysBack(today: number, rest: number): number {
  if (rest === 0) return [-1, 0, 0, 0, 0, 0, -2][today] ?? 0
  if (today === 0) return rest + 1
  return today - rest < 1 ? rest + 2 : rest
}
