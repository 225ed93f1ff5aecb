import {
  civilFromMs,
  civilToMs,
  clockUnits,
  type DateTime,
  dateUnits,
  dayOfWeek,
  type Fields,
  fromCivil,
  latestMs,
  toCivil,
} from './date-time.ts'
import type { Reading } from './reading.ts'

const midnight = { hour: 0, minute: 0, second: 0, millisecond: 0 }

/** The date that a reading means, seen from another: what was not said is taken from there. */
export function resolve(
  reading: Reading,
  base: DateTime,
  { keepsTime }: { keepsTime: boolean },
): DateTime {
  // A changed date stays in its zone, unless the text is a moment.
  const staysInZone = keepsTime && !reading.isMoment
  const zone = staysInZone ? base.zone : (reading.zone ?? base.zone)
  // A day without a time is its midnight.
  const isMidnight = reading.hasDate && !reading.hasTime && !keepsTime
  const now = toCivil(base)
  const clock = isMidnight ? midnight : now
  const { fields, shift } = reading
  const civil: Fields = {
    year: fields.year ?? now.year,
    month: fields.month ?? now.month,
    day: fields.day ?? now.day,
    hour: fields.hour ?? clock.hour,
    minute: fields.minute ?? clock.minute,
    second: fields.second ?? clock.second,
    millisecond: fields.millisecond ?? clock.millisecond,
  }
  moveToEdge(civil, reading)
  moveToWeekday(civil, reading)
  for (const unit of dateUnits) civil[unit] += shift[unit]
  if (reading.edgeOfMonth !== undefined) moveToEdge(civil, reading)
  moveWorkingDays(civil, reading.workingDays)
  // PHP moves the hands of the clock, whatever the zone does meanwhile.
  for (const unit of clockUnits) civil[unit] += shift[unit]
  const offset = staysInZone ? zone.offsetAt(base.epochMs) : undefined
  const { epochMs } = fromCivil(civilFromMs(civilToMs(civil)), zone, offset)
  if (!(Math.abs(epochMs) <= latestMs)) throw new RangeError('The date is out of range.')
  return { epochMs, zone }
}

function normalize(civil: Fields): void {
  Object.assign(civil, civilFromMs(civilToMs(civil)))
}

/** `first day of`, `last day of`, and the month of `first monday of`. */
function moveToEdge(civil: Fields, reading: Reading): void {
  const { shift } = reading
  if (reading.weekdayOfMonth !== undefined) {
    civil.day = 1
    civil.month += shift.month + (reading.weekdayOfMonth === 'last' ? 1 : 0)
    shift.month = 0
  }
  if (reading.edgeOfMonth === 'first') civil.day = 1
  if (reading.edgeOfMonth === 'last') {
    civil.day = 0
    civil.month++
  }
  normalize(civil)
}

function moveToWeekday(civil: Fields, reading: Reading): void {
  const { weekday, shift } = reading
  if (weekday === undefined) return
  const today = dayOfWeek(civil)
  if (weekday.choice === 'thisWeek') {
    // The week begins on Monday, so Sunday is its last day.
    civil.day += (weekday.day || 7) - (today || 7)
    return
  }
  if (weekday.day < 0) {
    civil.day -= 7 + weekday.day + today
    normalize(civil)
    return
  }
  let days = weekday.day - today
  const nearest = weekday.choice === 'here' ? 0 : 1
  const isBack = shift.day < 0
  if ((isBack && days < 0) || (!isBack && days < nearest)) days += 7
  civil.day += days
  normalize(civil)
}

/** Saturdays and Sundays don't count; whole weeks of five that end on one go to the weekday before it. */
function moveWorkingDays(civil: Fields, count: number): void {
  if (count === 0 || !Number.isFinite(count)) return
  normalize(civil)
  const today = dayOfWeek(civil)
  const rest = count % 5
  civil.day +=
    Math.trunc(count / 5) * 7 + (count > 0 ? daysOn(today, rest) : -daysBack(today, -rest))
  normalize(civil)
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
