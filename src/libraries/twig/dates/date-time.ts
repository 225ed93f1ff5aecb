import type { Zone } from './zones.ts'

/** A day of the proleptic Gregorian calendar. Months count from 1; months and days may overflow. */
export interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A date and time of that calendar, in no time zone. */
export interface Civil extends Day {
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** From 0 up to 1000, with microseconds as a fraction. */
  readonly millisecond: number
}

/** The fields of a civil time while they are computed, or how far they are from others. */
export type Fields = { -readonly [Unit in keyof Civil]: number }

export const dateUnits = ['year', 'month', 'day'] as const
export const clockUnits = ['hour', 'minute', 'second', 'millisecond'] as const

const dayMs = 86_400_000

/** JavaScript's dates end this many milliseconds before and after 1970. */
export const latestMs = 8.64e15

/** Days from 1970-01-01 to a day. NaN beyond JavaScript's dates. */
export function daysFromCivil({ year, month, day }: Day): number {
  // Not Date.UTC: it takes the year 99 for 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayMs
}

/** Milliseconds from 1970-01-01T00:00 as if the civil time were UTC; every field may overflow. */
export function civilToMs(civil: Civil): number {
  const seconds = civil.hour * 3600 + civil.minute * 60 + civil.second
  return daysFromCivil(civil) * dayMs + seconds * 1000 + civil.millisecond
}

/** The civil time of so many milliseconds from 1970-01-01T00:00. */
export function civilFromMs(ms: number): Civil {
  const date = new Date(Math.floor(ms))
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds() + (ms - Math.floor(ms)),
  }
}

/** The day of the calendar that a day with overflowing fields is. */
export function calendarDay(day: Day): Civil {
  return civilFromMs(daysFromCivil(day) * dayMs)
}

export function daysInMonth(year: number, month: number): number {
  return daysFromCivil({ year, month: month + 1, day: 1 }) - daysFromCivil({ year, month, day: 1 })
}

/** 0 is Sunday. */
export function dayOfWeek(day: Day): number {
  return (((daysFromCivil(day) + 4) % 7) + 7) % 7
}

/** 0 is January the first. */
export function dayOfYear(day: Day): number {
  return daysFromCivil(day) - daysFromCivil({ year: day.year, month: 1, day: 1 })
}

/** The week of a day, the year that the week counts in, and the week of the month: 0 before its first one. */
export interface Week {
  readonly year: number
  readonly week: number
  readonly weekOfMonth: number
}

/** The first day of a week (0 is Sunday), and how many days of a year its first week has at least. */
export interface WeekRule {
  readonly firstDay: number
  readonly daysMin: number
}

const isoWeeks: WeekRule = { firstDay: 1, daysMin: 4 }

/** Returns the week of a day: by default after ISO 8601, where week 1 holds the first Thursday. */
export function weekOf(date: Day, { firstDay, daysMin } = isoWeeks): Week {
  // A week counts in the year of its last day that leaves `daysMin` days to that year.
  const decisive = date.day + 7 - daysMin - ((dayOfWeek(date) - firstDay + 7) % 7)
  const counted = calendarDay({ ...date, day: decisive })
  const week = Math.floor(dayOfYear(counted) / 7) + 1
  return { year: counted.year, week, weekOfMonth: Math.floor((decisive - 1) / 7) + 1 }
}

/** A moment, and the zone that it is shown in. */
export interface DateTime {
  /** Milliseconds from 1970-01-01T00:00Z; microseconds are a fraction. */
  readonly epochMs: number
  readonly zone: Zone
}

/** The civil time of a moment in its zone. */
export function toCivil({ epochMs, zone }: DateTime): Civil {
  return civilFromMs(epochMs + zone.offsetAt(epochMs) * 1000)
}

/**
 * The moment of a civil time in a zone, as PHP finds it. A time that the change to daylight time skips
 * moves forward by the change. Of a time that occurs twice, the moment with `preferredOffset` counts, else the first.
 */
export function fromCivil(civil: Civil, zone: Zone, preferredOffset?: number): DateTime {
  const wallMs = civilToMs(civil)
  const before = zone.offsetAt(wallMs - 86_400_000)
  const after = zone.offsetAt(wallMs + 86_400_000)
  const early = wallMs - before * 1000
  if (preferredOffset !== undefined) {
    const preferred = wallMs - preferredOffset * 1000
    if (zone.offsetAt(preferred) === preferredOffset) return { epochMs: preferred, zone }
  }
  if (before === after || zone.offsetAt(early) === before) return { epochMs: early, zone }
  const late = wallMs - after * 1000
  return { epochMs: zone.offsetAt(late) === after ? late : early, zone }
}
