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

/** JavaScript's dates end so many milliseconds before and after 1970: 273,790 years. */
export const latestMs = 8.64e15

/**
 * Days from 1970-01-01; months and days may lie outside of their ranges and overflow. Years are counted
 * from March, so that the day of a leap year comes last (Hinnant, chrono-compatible date algorithms).
 */
export function daysFromCivil(year: number, month: number, day: number): number {
  const months = month - 3
  const years = year + Math.floor(months / 12)
  const monthFromMarch = months - Math.floor(months / 12) * 12
  const era = Math.floor(years / 400)
  const yearOfEra = years - era * 400
  const dayOfYearFromMarch = Math.floor((153 * monthFromMarch + 2) / 5)
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYearFromMarch + day - 719_469
}

/** Milliseconds from 1970-01-01T00:00 as if the civil time were UTC; every field may overflow. */
export function civilToMs(civil: Civil): number {
  const days = daysFromCivil(civil.year, civil.month, civil.day)
  const seconds = civil.hour * 3600 + civil.minute * 60 + civil.second
  return days * dayMs + seconds * 1000 + civil.millisecond
}

/** The civil time of so many milliseconds from 1970-01-01T00:00. */
export function civilFromMs(ms: number): Civil {
  const days = Math.floor(ms / dayMs)
  const msOfDay = ms - days * dayMs
  const seconds = Math.floor(msOfDay / 1000)
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  const dayFromMarch = dayOfEra - (365 * yearOfEra + leapDays)
  const monthFromMarch = Math.floor((5 * dayFromMarch + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayFromMarch - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    millisecond: msOfDay - seconds * 1000,
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
