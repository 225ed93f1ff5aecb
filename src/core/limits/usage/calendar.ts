/** The windows of a limit that follow the calendar (UTC). */
export const calendarWindows = ['minute', 'hour', 'day', 'month'] as const
export type CalendarWindow = (typeof calendarWindows)[number]

/** A period by the database's clock in milliseconds: from `start` up to but not including `end`. */
export interface CalendarPeriod {
  start: number
  end: number
}

const fixedMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Returns the window that a time is in. */
export function periodOf(window: CalendarWindow, time: number): CalendarPeriod {
  if (window === 'month') {
    const date = new Date(time)
    const monthAt = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset)
    return { start: monthAt(0), end: monthAt(1) }
  }
  const size = fixedMs[window]
  const start = Math.floor(time / size) * size
  return { start, end: start + size }
}
