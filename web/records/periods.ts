import { serverNow } from '../lib/api.ts'
import { zoneOffsetMs } from '../words/format.ts'

const dayMs = 86_400_000

/** The times of a list that are chosen at once: whole days of the reader, by how many days ago they begin and end. */
export const periods: ReadonlyMap<string, { label: string; from: number; to?: number }> = new Map([
  ['today', { label: 'Today', from: 0 }],
  ['yesterday', { label: 'Yesterday', from: 1, to: 0 }],
  ['week', { label: '7 days', from: 6 }],
  ['month', { label: '30 days', from: 29 }],
])

/** The filters of the request: a period as the times of its days. */
export function withTimes({
  time = '',
  ...filters
}: Partial<Record<string, string>>): Partial<Record<string, string>> {
  const { from, to } = periods.get(time) ?? {}
  if (from === undefined) return filters
  return { ...filters, from: midnight(from), ...(to !== undefined && { to: midnight(to) }) }
}

/** The last midnight of the reader, or one some days before it. */
export function midnight(daysAgo: number): string {
  const now = serverNow()
  const day = new Date(now + zoneOffsetMs(now) - daysAgo * dayMs).toISOString().slice(0, 10)
  return fromLocalTime(`${day}T00:00`)
}

/** A time in the address as the value of a `datetime-local` control, in the zone that the reader chose. */
export function toLocalTime(iso: string | undefined): string {
  const time = Date.parse(iso ?? '')
  if (Number.isNaN(time)) return ''
  return new Date(time + zoneOffsetMs(time)).toISOString().slice(0, 16)
}

/** The value of a `datetime-local` control as a time in the address. */
export function fromLocalTime(local: string): string {
  const utc = Date.parse(`${local}Z`)
  if (Number.isNaN(utc)) return ''
  // The offset at the time itself: another one applies before a clock change.
  const time = utc - zoneOffsetMs(utc - zoneOffsetMs(utc))
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
