import { formatDate } from '../../kit/iso-date.ts'
import { readWarmUp, toLimit } from '../rules.ts'
import type { LimitUsage } from '../schema.ts'
import type { LimitRow } from '../table.ts'
import { warmUpDay } from '../warm-up.ts'
import { spanOf } from './calendar.ts'
import { countTaken, expire } from './token-pool.ts'
import { secondMs, type Usage } from './usage.ts'

/** Describes what is used of a limit at a time of the database. Changes `usage`. */
export function presentUsage(row: LimitRow, usage: Usage, now: number): LimitUsage {
  const { rules } = toLimit(row)
  const warmUp = readWarmUp(row)
  return {
    windows: [
      ...secondUsage(rules.perSecond, usage, now),
      ...rules.windows.map(({ window, max }) => {
        const span = spanOf(window, now)
        const count = usage.windows[window]
        const used = count !== undefined && count.start >= span.start ? count.used : 0
        return describe({ window, max: max(span.start), used }, span.end)
      }),
    ],
    warmUp: warmUp === null ? null : warmUpDay(warmUp, row.per_day ?? undefined, now),
  }
}

function secondUsage(perSecond: number | undefined, { second }: Usage, now: number) {
  if (perSecond === undefined) return []
  expire(second, { now, restMs: secondMs })
  const next = Math.min(...second.resting.map(({ from }) => from), now + secondMs)
  return [describe({ window: 'second', max: perSecond, used: countTaken(second) }, next)]
}

function describe(
  { window, max, used }: Pick<LimitUsage['windows'][number], 'window' | 'max' | 'used'>,
  freeAt: number,
) {
  const left = Math.max(0, max - used)
  return { window, max, used, left, freeAt: left > 0 ? null : formatDate(freeAt) }
}
