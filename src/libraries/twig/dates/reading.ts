import type { Fields } from './date-time.ts'
import { monthNumber } from './names.ts'
import type { Zone } from './zones.ts'

/** A weekday that a text names. */
export interface WeekdayWish {
  /** 0 is Sunday. Below zero, that day of a week before: `ago` turned it round. */
  readonly day: number
  /**
   * Which one: `next`, today not counting; `here`, today counting; `thisWeek`, that of the week from
   * Monday on which the date lies.
   */
  readonly choice: 'next' | 'here' | 'thisWeek'
}

/** What the words of a date text have said so far. */
export class Reading {
  readonly fields: Partial<Fields> = {}
  zone: Zone | undefined
  /** It is given as `@` and seconds: the same moment in every zone. */
  isMoment = false
  hasDate = false
  hasTime = false
  /** How far from there the date lies. */
  readonly shift: Fields = {
    year: 0,
    month: 0,
    day: 0,
    hour: 0,
    minute: 0,
    second: 0,
    millisecond: 0,
  }
  weekday: WeekdayWish | undefined
  /** `first day of` or `last day of` a month. */
  edgeOfMonth: 'first' | 'last' | undefined
  /** `first monday of` (counted from 1) or `last monday of` a month. */
  weekdayOfMonth: 'counted' | 'last' | undefined
  /** The number of days from Monday to Friday to add. */
  workingDays = 0

  /** Sets the clock to midnight, as words for days do. */
  clearTime(): void {
    this.setTime(0, 0)
    this.hasTime = false
  }

  setTime(hour: number, minute: number, second = 0, millisecond = 0): void {
    this.hasTime = true
    this.fields.hour = hour
    this.fields.minute = minute
    this.fields.second = second
    this.fields.millisecond = millisecond
  }

  /** A year or day that is left out stays as it is. */
  setDate(year: number | undefined, month: number, day?: number): void {
    this.hasDate = true
    if (year !== undefined) this.fields.year = year
    this.fields.month = month
    if (day !== undefined) this.fields.day = day
  }
}

/** The named groups of a pattern that fits. */
export type Groups = Readonly<Record<string, string | undefined>>

/**
 * Notes the fields that a pattern has groups for: `y`, `m`, `d`; `h`, `i`, `s`, the fraction `f`, and `p`, the letter
 * of am or pm. A month without a day begins with its first.
 */
export function noteFields(reading: Reading, { y, m, d, h, i, s, f, p }: Groups): void {
  if (m !== undefined) {
    reading.setDate(y === undefined ? undefined : fullYear(y), monthNumber(m), Number(d ?? 1))
  }
  if (h !== undefined) reading.setTime(hourOf(h, p), Number(i ?? 0), Number(s ?? 0), fraction(f))
}

/** Two digits are a year of our time: 70 to 99 of the last century. */
function fullYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 70 ? 2000 + year : 1900 + year
}

/** An hour of the day, or of the half day that `a` or `p` begins. */
export function hourOf(hour: string | undefined, letter: string | undefined): number {
  if (letter === undefined) return Number(hour)
  return (Number(hour) % 12) + (letter.toLowerCase() === 'p' ? 12 : 0)
}

/** Milliseconds of the digits behind a decimal point. */
export function fraction(text: string | undefined): number {
  return text === undefined ? 0 : Math.floor(Number(`0.${text.slice(0, 6)}`) * 1e6 + 0.1) / 1e3
}
