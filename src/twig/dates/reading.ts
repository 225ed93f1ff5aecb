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

function noShift(): Shift {
  return { years: 0, months: 0, days: 0, hours: 0, minutes: 0, seconds: 0, milliseconds: 0 }
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
export interface Reading {
  year: number | undefined
  month: number | undefined
  day: number | undefined
  hour: number | undefined
  minute: number | undefined
  second: number | undefined
  millisecond: number | undefined
  zone: Zone | undefined
  /** It is given as `@` and seconds: the same moment in every zone. */
  isMoment: boolean
  hasDate: boolean
  hasTime: boolean
  shift: Shift
  weekday: WeekdayWish | undefined
  /** `first day of` or `last day of` a month. */
  edgeOfMonth: 'first' | 'last' | undefined
  /** `first monday of` (counted from 1) or `last monday of` a month. */
  weekdayOfMonth: 'counted' | 'last' | undefined
  /** So many days from Monday to Friday. */
  workingDays: number
}

export function emptyReading(): Reading {
  return {
    year: undefined,
    month: undefined,
    day: undefined,
    hour: undefined,
    minute: undefined,
    second: undefined,
    millisecond: undefined,
    zone: undefined,
    isMoment: false,
    hasDate: false,
    hasTime: false,
    shift: noShift(),
    weekday: undefined,
    edgeOfMonth: undefined,
    weekdayOfMonth: undefined,
    workingDays: 0,
  }
}

/** Sets the clock to midnight: words for days do so. */
export function clearTime(reading: Reading): void {
  reading.hasTime = false
  setClock(reading, 0, 0, 0)
}

export function setTime(reading: Reading, hour: number, minute: number, second = 0): void {
  reading.hasTime = true
  setClock(reading, hour, minute, second)
}

function setClock(reading: Reading, hour: number, minute: number, second: number): void {
  reading.hour = hour
  reading.minute = minute
  reading.second = second
  reading.millisecond = 0
}

export function setDate(
  reading: Reading,
  year: number | undefined,
  month: number,
  day: number,
): void {
  reading.hasDate = true
  if (year !== undefined) reading.year = year
  reading.month = month
  reading.day = day
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
