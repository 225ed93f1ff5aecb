import { formatDate } from '../../../kit/iso-date.ts'
import { connectionLeaseMs, readWarmUp, toLimit } from '../rules.ts'
import type { LimitUsage } from '../schema.ts'
import type { LimitRow } from '../table.ts'
import { warmUpDay } from '../warm-up.ts'
import { periodOf } from './calendar.ts'
import { countTaken, expire } from './token-pool.ts'
import { defaultLeaseMs, secondMs, type Usage } from './usage.ts'

/** What is stored of the use of a limit. */
interface StoredUsage {
  usage: Usage
  /** Its `second` is that of connections. */
  connections: Usage
}

/** Describes what is used of a limit at a time of the database. Changes the stored usage. */
export function presentUsage(
  row: LimitRow,
  { usage, connections }: StoredUsage,
  now: number,
): LimitUsage {
  const { rules } = toLimit(row)
  const warmUp = readWarmUp(row)
  return {
    windows: [
      ...secondUsage(rules.perSecond, usage, now),
      ...rules.windows.map(({ window, max }) => {
        const period = periodOf(window, now)
        const count = usage.windows[window]
        const used = count !== undefined && count.start >= period.start ? count.used : 0
        return describe({ window, max: max(period.start), used }, period.end)
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
  return [describe({ window: 'second', max: perSecond, used: countTaken(second) }, next)]
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
