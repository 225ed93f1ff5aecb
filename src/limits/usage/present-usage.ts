import { formatDate } from '../../kit/iso-date.ts'
import { connectionLeaseMs, readWarmUp, toLimit } from '../rules.ts'
import type { LimitUsage } from '../schema.ts'
import type { LimitRow } from '../table.ts'
import { warmUpDay } from '../warm-up.ts'
import { spanOf } from './calendar.ts'
import { countTaken, expire } from './token-pool.ts'
import { defaultLeaseMs, secondMs, type Usage } from './usage.ts'

/** What is stored of the use of a limit. */
interface StoredUsage {
  usage: Usage
  /** Its `second` is that of connections. */
  connections: Usage
}

/** The present rates of the recipients that a limit counts, in recipients for a millisecond. */
export interface RecipientRates {
  ofHour: number
  ofDay: number
}

/** What a window is described at: a time of the database, and the rates for forecasts. */
interface Present {
  now: number
  rates: RecipientRates
}

/** Describes what is used of a limit, and when it will be reached. Changes the stored usage. */
export function presentUsage(
  row: LimitRow,
  { usage, connections }: StoredUsage,
  { now, rates }: Present,
): LimitUsage {
  const { rules } = toLimit(row)
  const warmUp = readWarmUp(row)
  return {
    windows: [
      ...secondUsage(rules.perSecond, usage, now),
      ...rules.windows.map(({ window, max }) => {
        const span = spanOf(window, now)
        const count = usage.windows[window]
        const used = count !== undefined && count.start >= span.start ? count.used : 0
        const described = describe({ window, max: max(span.start), used }, span.end)
        return { ...described, reachedAt: forecast(described, span.end, { now, rates }) }
      }),
    ],
    connections: connectionUsage(row.connections_max, connections, now),
    warmUp: warmUp === null ? null : warmUpDay(warmUp, row.per_day ?? undefined, now),
  }
}

function secondUsage(perSecond: number | undefined, { second }: Usage, now: number) {
  if (perSecond === undefined) return []
  expire(second, { now, restMs: secondMs, leaseMs: defaultLeaseMs })
  const next = Math.min(...second.resting.map(({ from }) => from), now + secondMs)
  const described = describe({ window: 'second', max: perSecond, used: countTaken(second) }, next)
  return [{ ...described, reachedAt: null }]
}

function connectionUsage(max: number | null, { second }: Usage, now: number) {
  if (max === null) return null
  expire(second, { now, restMs: 0, leaseMs: connectionLeaseMs })
  return { max, used: countTaken(second) }
}

function describe(
  { window, max, used }: Pick<LimitUsage['windows'][number], 'window' | 'max' | 'used'>,
  freeAt: number,
) {
  const left = Math.max(0, max - used)
  return { window, max, used, left, freeAt: left > 0 ? null : formatDate(freeAt) }
}

/** Forecasts when a window is full at the present rate: that of the last hour; for a month, that of the last day. */
function forecast(
  { window, left }: Pick<LimitUsage['windows'][number], 'window' | 'left'>,
  end: number,
  { now, rates }: Present,
): string | null {
  if (window === 'second' || window === 'minute' || left === 0) return null
  const perMs = window === 'month' ? rates.ofDay : rates.ofHour
  const reachedAt = perMs === 0 ? Number.POSITIVE_INFINITY : now + left / perMs
  return reachedAt < end ? formatDate(Math.floor(reachedAt)) : null
}
