import type { LimitRow, Overflow } from './table.ts'
import { type CalendarWindow, calendarWindows } from './usage/calendar.ts'
import type { LimitRules } from './usage/usage.ts'
import type { WindowRule } from './usage/window-counts.ts'
import { type WarmUp, warmUpDay } from './warm-up.ts'

/** A published limit, as it is applied. */
export interface Limit {
  id: number
  name: string
  /** See `LimitUsageRow`. */
  key: string
  transports: readonly number[]
  overflow: Overflow
  rules: LimitRules
}

const columns = {
  minute: 'per_minute',
  hour: 'per_hour',
  day: 'per_day',
  month: 'per_month',
} as const

export const usageKeyOf = (limitId: number) => `limit:${limitId}`

/** The keys of the rates of a transport's DSN begin with this; the number of the rate in the DSN follows. */
export const rateKeyPrefix = (transportId: number | null) =>
  `transport:${transportId ?? 'default'}:`

export function toLimit(row: LimitRow): Limit {
  const { per_second: perSecond } = row
  return {
    id: row.id,
    name: row.name,
    key: usageKeyOf(row.id),
    transports: readTransports(row),
    overflow: row.overflow,
    rules: {
      ...(perSecond === null ? {} : { perSecond }),
      windows: calendarWindows.flatMap((window) => windowRuleOf(row, window)),
    },
  }
}

export function readTransports({ transports }: Pick<LimitRow, 'transports'>): number[] {
  return JSON.parse(transports) as number[]
}

export function readWarmUp({ warm_up: warmUp }: Pick<LimitRow, 'warm_up'>): WarmUp | null {
  return warmUp === null ? null : (JSON.parse(warmUp) as WarmUp)
}

function windowRuleOf(row: LimitRow, window: CalendarWindow): WindowRule[] {
  const max = row[columns[window]]
  const warmUp = window === 'day' ? readWarmUp(row) : null
  if (warmUp !== null)
    return [{ window, max: (start) => warmUpDay(warmUp, max ?? undefined, start).allowance }]
  return max === null ? [] : [{ window, max: () => max }]
}
