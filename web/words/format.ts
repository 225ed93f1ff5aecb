import { computed, signal } from '@preact/signals'

/** How dates and numbers are written: the language is English with each. */
export const dateStyles = {
  'en-GB': { hourCycle: 'h23' },
  'en-US': { hourCycle: 'h12' },
  'en-CA': { hourCycle: 'h23' },
} as const

export type DateStyle = keyof typeof dateStyles

/** How the reader wants to read times. */
export interface Reading {
  style: DateStyle
  /** Of the IANA database, such as `Europe/Vienna`. */
  timeZone: string
}

const key = 'mailyard.reading'
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

function readStored(): Reading {
  const stored = JSON.parse(globalThis.localStorage?.getItem(key) ?? '{}') as Partial<Reading>
  const { style = '', timeZone = '' } = stored
  const isAmerican = globalThis.navigator?.language === 'en-US'
  return {
    style: style in dateStyles ? (style as DateStyle) : isAmerican ? 'en-US' : 'en-GB',
    timeZone: timeZones().includes(timeZone) ? timeZone : ownZone,
  }
}

export function timeZones(): string[] {
  return [...new Set(['UTC', ownZone, ...Intl.supportedValuesOf('timeZone')])]
}

const chosen = signal(readStored())

/** How times are written: what the reader chose, or the zone of the browser. What reads it is shown again after a change. */
export function reading(): Reading {
  return chosen.value
}

export function chooseReading(reading: Reading): void {
  chosen.value = reading
  localStorage.setItem(key, JSON.stringify(reading))
}

const formats = computed(() => {
  const { style, timeZone } = chosen.value
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(style, { timeZone, ...dateStyles[style], ...options })
  return {
    numbers: new Intl.NumberFormat(style),
    exact: dates({ dateStyle: 'medium', timeStyle: 'long' }),
    day: dates({ day: 'numeric', month: 'short' }),
    clock: dates({ hour: '2-digit', minute: '2-digit' }),
    relative: new Intl.RelativeTimeFormat(style, { numeric: 'auto', style: 'short' }),
  }
})

/** How far the reader's zone is ahead of UTC at a time. */
export function zoneOffsetMs(time: number): number {
  const { timeZone } = chosen.value
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(time)
  return Date.parse(`${parts.replace(' ', 'T')}Z`) - Math.trunc(time / 1_000) * 1_000
}

/** A date and a number as a style writes them. */
export function formatExample(style: DateStyle): string {
  const date = new Intl.DateTimeFormat(style, {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...dateStyles[style],
  })
  return date.format(new Date(2026, 11, 31, 17, 30))
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relativeSecondsMax = 7 * 86_400

export function formatNumber(value: number): string {
  return formats.value.numbers.format(value)
}

/** A number with its noun: `1 email`, `3 emails`. */
export function counted(value: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : nouns}`
}

/** The numbers above 0, each with its noun. */
export function countedParts(numbers: Readonly<Record<string, number>>): string[] {
  return Object.entries(numbers).flatMap(([noun, value]) => (value > 0 ? counted(value, noun) : []))
}

/** A time as the reader says it, such as "5 min ago"; a date after a week. */
export function formatTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000
  if (Math.abs(seconds) > relativeSecondsMax) return formats.value.day.format(new Date(iso))
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return formats.value.relative.format(Math.round(seconds / size), unit)
}

/** A time in the reader's zone, to the second. */
export function formatExactTime(iso: string): string {
  return formats.value.exact.format(new Date(iso))
}

/** A time as clocks show it, with its day unless this is today: `07:12`, `tomorrow 01:00`. */
export function formatMoment(iso: string, now = Date.now()): string {
  const dayOf = (time: number) => Math.floor((time + zoneOffsetMs(time)) / 86_400_000)
  const days = dayOf(Date.parse(iso)) - dayOf(now)
  const day = Math.abs(days) > 1 ? formatDay(iso) : formats.value.relative.format(days, 'day')
  return days === 0 ? formatClock(iso) : `${day} ${formatClock(iso)}`
}

export function formatDay(iso: string): string {
  return formats.value.day.format(new Date(iso))
}

/** `12 %`, `96.4 %` of all; `< 0.1 %` for a few of many, and not 100 % before it is all. */
export function formatShare(count: number, all: number): string {
  const percent = (100 * count) / Math.max(1, all)
  if (percent > 0 && percent < 0.1) return '< 0.1 %'
  return `${formatNumber(Math.floor(10 * percent + 1e-9) / 10)} %`
}

export function formatClock(iso: string): string {
  return formats.value.clock.format(new Date(iso))
}

const conjunction = new Intl.ListFormat('en')

/** `3 emails, 1 user and 1 Mautic` */
export function formatList(parts: readonly string[]): string {
  return conjunction.format(parts)
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`
}

const byteUnits: readonly [number, string][] = [
  [1_073_741_824, 'GB'],
  [1_048_576, 'MB'],
]

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const [size, unit] = byteUnits.find(([each]) => bytes >= each) ?? [1_024, 'KB']
  return `${(bytes / size).toFixed(1)} ${unit}`
}
