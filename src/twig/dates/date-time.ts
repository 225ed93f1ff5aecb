import type { Zone } from './zones.ts'

/** A date and time of the proleptic Gregorian calendar, in no time zone. Months count from 1. */
export interface Civil {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** From 0 up to 1000, with microseconds as a fraction. */
  readonly millisecond: number
}

const dayMs = 86_400_000

/** JavaScript's dates end this many milliseconds before and after 1970. */
export const latestMs = 8.64e15

/** Days from 1970-01-01 to a date; months and days may overflow. NaN beyond JavaScript's dates. */
export function daysFromCivil(year: number, month: number, day: number): number {
  // Not Date.UTC: it takes the year 99 for 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayMs
}

/** Milliseconds from 1970-01-01T00:00 as if the civil time were UTC; every field may overflow. */
export function civilToMs(civil: Civil): number {
  const days = daysFromCivil(civil.year, civil.month, civil.day)
  const seconds = civil.hour * 3600 + civil.minute * 60 + civil.second
  return days * dayMs + seconds * 1000 + civil.millisecond
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

export function isLeapYear(year: number): boolean {
  return daysInMonth(year, 2) === 29
}

export function daysInMonth(year: number, month: number): number {
  return daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1)
}

/** 0 is Sunday. */
export function dayOfWeek(year: number, month: number, day: number): number {
  return (((daysFromCivil(year, month, day) + 4) % 7) + 7) % 7
}

/** 0 is January the first. */
export function dayOfYear(year: number, month: number, day: number): number {
  return daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1)
}

/** The week and its year after ISO 8601: week 1 holds the first Thursday. */
export function isoWeek(
  year: number,
  month: number,
  day: number,
): { readonly year: number; readonly week: number } {
  const weekday = dayOfWeek(year, month, day) || 7
  const thursday = civilFromMs(daysFromCivil(year, month, day + 4 - weekday) * dayMs)
  const week = Math.floor(dayOfYear(thursday.year, thursday.month, thursday.day) / 7) + 1
  return { year: thursday.year, week }
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
