import { mayUse, noBrand } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { findTransportBrands } from '../transports/index.ts'
import type { LimitRow, LimitTables, Overflow } from './table.ts'
import { type CalendarWindow, calendarWindows } from './usage/calendar.ts'
import type { LimitRules } from './usage/usage.ts'
import type { WindowRule } from './usage/window-counts.ts'
import { type WarmUp, warmUpDay } from './warm-up.ts'

/** How many tokens there are, and where their use is stored. */
export interface TokenLimit {
  /** See `LimitUsageRow`. */
  key: string
  rules: LimitRules
}

/** A published limit, as it is applied. Its tokens are for recipients. */
export interface Limit extends TokenLimit {
  id: number
  name: string
  /** See `noBrand`. */
  brand: number
  /** None of a brand: it is the budget of this brand, for its messages through any transport. */
  transports: readonly number[]
  overflow: Overflow
  /** Undefined if connections are not limited. */
  connections: TokenLimit | undefined
}

const columns = {
  minute: 'per_minute',
  hour: 'per_hour',
  day: 'per_day',
  month: 'per_month',
} as const

export const usageKeyOf = (limitId: number) => `limit:${limitId}`
export const connectionsKeyOf = (limitId: number) => `limit:${limitId}:connections`

/** The keys of the rates of a transport's DSN begin with this; the number of the rate in the DSN follows. */
export const rateKeyPrefix = (transportId: number | null) =>
  `transport:${transportId ?? 'default'}:`

/** A connection may be open for long, and a busy process is late to close it. */
export const connectionLeaseMs = 10_000

/** Lists the published limits by id, as they apply now: those of a brand without transports that were moved out of it. */
export async function listPublished(storage: Storage): Promise<LimitRow[]> {
  const limits = storage.tables<LimitTables>().selectFrom('limits').selectAll()
  const rows = await limits.where('is_published', '=', true).orderBy('id').execute()
  const ofBrands = rows.filter((row) => row.brand_id !== noBrand)
  const brands = await findTransportBrands(ofBrands.flatMap(readTransports), storage.tables())
  return rows.flatMap((row) => {
    const all = readTransports(row)
    const own = all.filter((id) => mayUse(row, brands.get(id) ?? noBrand))
    // Without its last transport, it would be the budget of its brand.
    return own.length === 0 && all.length > 0 ? [] : [{ ...row, transports: JSON.stringify(own) }]
  })
}

export function toLimit(row: LimitRow): Limit {
  const { per_second: perSecond } = row
  return {
    id: row.id,
    name: row.name,
    key: usageKeyOf(row.id),
    brand: row.brand_id,
    transports: readTransports(row),
    overflow: row.overflow,
    connections: toConnections(row),
    rules: {
      ...(perSecond === null ? {} : { perSecond }),
      windows: calendarWindows.flatMap((window) => windowRuleOf(row, window)),
    },
  }
}

/** Whether a limit is the budget of its brand. */
export function isBudget({ brand, transports }: Pick<Limit, 'brand' | 'transports'>): boolean {
  return brand !== noBrand && transports.length === 0
}

/** A token is a connection, and needs no rest after its use. */
function toConnections({ id, connections_max: max }: LimitRow): TokenLimit | undefined {
  if (max === null) return undefined
  const rules = { perSecond: max, restMs: 0, leaseMs: connectionLeaseMs, windows: [] }
  return { key: connectionsKeyOf(id), rules }
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
