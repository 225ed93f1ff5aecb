import type { Zone } from './zones.ts'

/** The units in which one date can lie from another. */
export interface Shift {
  years: number
  months: number
  days: number
  hours: number
  minutes: number
  seconds: number
  milliseconds: number
}

/** A weekday that a text names. */
export interface WeekdayWish {
  /** 0 is Sunday. Below zero, that day of a week before: `ago` turned it round. */
  day: number
  /**
   * Which one: `next`, today not counting; `here`, today counting; `thisWeek`, that of the week from
   * Monday on which the date lies.
   */
  choice: 'next' | 'here' | 'thisWeek'
}

/** What the words of a date text have said so far. */
export class Reading {
  year: number | undefined
  month: number | undefined
  day: number | undefined
  hour: number | undefined
  minute: number | undefined
  second: number | undefined
  millisecond: number | undefined
  zone: Zone | undefined
  /** It is given as `@` and seconds: the same moment in every zone. */
  isMoment = false
  hasDate = false
  hasTime = false
  readonly shift: Shift = {
    years: 0,
    months: 0,
    days: 0,
    hours: 0,
    minutes: 0,
    seconds: 0,
    milliseconds: 0,
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

  setTime(hour: number, minute: number, second = 0): void {
    this.hasTime = true
    this.hour = hour
    this.minute = minute
    this.second = second
    this.millisecond = 0
  }

  setDate(year: number | undefined, month: number, day: number): void {
    this.hasDate = true
    if (year !== undefined) this.year = year
    this.month = month
    this.day = day
  }
}

/** Milliseconds of the digits behind a decimal point. */
export function fraction(text: string | undefined): number {
  return text === undefined ? 0 : Math.floor(Number(`0.${text.slice(0, 6)}`) * 1e6 + 0.1) / 1e3
}

/** A form that a part of a date text may have. */
export interface Rule {
  /** A regular expression without regard to case, for the whole part. */
  readonly pattern: string
  /** Notes what it says; `parts` are the groups. */
  apply(reading: Reading, parts: readonly (string | undefined)[]): void
  /** What it sets; a text may set a date and a time once each. */
  readonly sets?: 'date' | 'time'
}
