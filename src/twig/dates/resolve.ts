import { type Civil, civilFromMs, civilToMs, dayOfWeek } from './civil.ts'
import { type DateTime, fromCivil, toCivil } from './date-time.ts'
import type { Reading } from './reading.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The date that a reading means, seen from another: what was not said is taken from there. */
export function resolve(
  reading: Reading,
  base: DateTime,
  { keepsTime }: { keepsTime: boolean },
): DateTime {
  const zone = reading.zone ?? base.zone
  const now = toCivil({ epochMs: base.epochMs, zone })
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
  const moved = fromCivil(normalized(civil), zone)
  const seconds = shift.hours * 3600 + shift.minutes * 60 + shift.seconds
  const epochMs = moved.epochMs + seconds * 1000 + shift.milliseconds
  // JavaScript's dates end after 285,616 years.
  if (!(Math.abs(epochMs) <= 8.64e15)) throw new RangeError('The date is out of range.')
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
    if (weekday.day === -1) return
    // The week begins on Monday, so Sunday is its last day.
    civil.day += (weekday.day || 7) - (today || 7)
    return
  }
  let days = weekday.day - today
  const nearest = weekday.choice === 'here' ? 0 : 1
  const isBack = shift.days < 0
  if ((isBack && days < 0) || (!isBack && days < nearest)) days += 7
  civil.day += days
  assignNormalized(civil)
}

/** Saturdays and Sundays don't count. */
function moveWorkingDays(civil: Mutable<Civil>, count: number): void {
  if (count === 0 || !Number.isFinite(count)) return
  assignNormalized(civil)
  const step = Math.sign(count)
  // Five at a time make a week.
  const weeks = Math.trunc(count / 5)
  civil.day += weeks * 7
  let left = Math.abs(count % 5)
  assignNormalized(civil)
  while (left > 0 || isWeekend(civil)) {
    civil.day += step
    assignNormalized(civil)
    if (!isWeekend(civil)) left--
    if (left < 0) break
  }
}

function isWeekend({ year, month, day }: Civil): boolean {
  const weekday = dayOfWeek(year, month, day)
  return weekday === 0 || weekday === 6
}
