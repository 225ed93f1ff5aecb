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

/** Days from 1970-01-01; months and days may lie outside of their ranges and overflow. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month - 1
  const date = new Date(0)
  date.setUTCFullYear(year + Math.floor(shifted / 12), ((shifted % 12) + 12) % 12, 1)
  return Math.round(date.getTime() / dayMs) + day - 1
}

/** Milliseconds from 1970-01-01T00:00 as if the civil time were UTC; every field may overflow. */
export function civilToMs(civil: Civil): number {
  const days = daysFromCivil(civil.year, civil.month, civil.day)
  const seconds = civil.hour * 3600 + civil.minute * 60 + civil.second
  return days * dayMs + seconds * 1000 + civil.millisecond
}

/** The civil time of so many milliseconds from 1970-01-01T00:00. */
export function civilFromMs(ms: number): Civil {
  const whole = Math.floor(ms / 1000) * 1000
  const date = new Date(whole)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: ms - whole,
  }
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
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
  const days = daysFromCivil(year, month, day)
  const weekday = ((((days + 3) % 7) + 7) % 7) + 1
  const thursday = civilFromMs((days + 4 - weekday) * dayMs)
  const week = Math.floor(dayOfYear(thursday.year, thursday.month, thursday.day) / 7) + 1
  return { year: thursday.year, week }
}
