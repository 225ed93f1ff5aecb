const numbers = new Intl.NumberFormat()
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relativeSecondsMax = 7 * 86_400

export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** A time as the reader says it, such as "5 min ago"; a date after a week. */
export function formatTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000
  if (Math.abs(seconds) > relativeSecondsMax) return day.format(new Date(iso))
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return relative.format(Math.round(seconds / size), unit)
}

/** A time in the reader's zone, to the second. */
export function formatExactTime(iso: string): string {
  return exact.format(new Date(iso))
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
