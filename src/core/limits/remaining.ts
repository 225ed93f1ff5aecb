import { formatDate } from '../../kit/iso-date.ts'
import type { Storage } from '../../platform/storage/index.ts'
import {
  connectionsKeyOf,
  isBudget,
  type Limit,
  listPublished,
  toLimit,
  usageKeyOf,
} from './rules.ts'
import type { LimitUsage } from './schema.ts'
import type { LimitRow } from './table.ts'
import { periodOf } from './usage/calendar.ts'
import { presentUsage } from './usage/present-usage.ts'
import { UsageStore } from './usage/usage-store.ts'

/** What is left of one window of a limit; `freeAt` is null while something is. */
export type RemainingTokens = LimitUsage['windows'][number] & {
  limit: Pick<Limit, 'id' | 'name' | 'brand' | 'transports'>
}

export async function readUsage(storage: Storage, row: LimitRow): Promise<LimitUsage> {
  const usages = new UsageStore(storage, '')
  const [usage, connections, now] = await Promise.all([
    usages.find(usageKeyOf(row.id)),
    usages.find(connectionsKeyOf(row.id)),
    storage.now(),
  ])
  return presentUsage(row, { usage, connections }, now)
}

/** Lists what is left of each window of the first published limits. */
export async function listRemaining(
  storage: Storage,
  limitsMax = 1_000,
): Promise<RemainingTokens[]> {
  const remaining: RemainingTokens[] = []
  for (const row of (await listPublished(storage)).slice(0, limitsMax)) {
    const limit = toLimit(row)
    for (const window of (await readUsage(storage, row)).windows)
      remaining.push({ limit, ...window })
  }
  return remaining
}

/** A window in which a limit allows no more recipients, until `freeAt`. */
export type ReachedWindow = Omit<RemainingTokens, 'freeAt'> & { freeAt: string }

/** Lists the windows in which limits allow no more recipients; a second is soon over. */
export async function listReached(storage: Storage): Promise<ReachedWindow[]> {
  const remaining = await listRemaining(storage)
  return remaining.flatMap(({ freeAt, ...each }) =>
    freeAt === null || each.window === 'second' ? [] : { ...each, freeAt },
  )
}

/** The part of a budget from which it is nearly used up. */
const nearPart = 0.8

/** Lists the days and months of budgets that are nearly used up, with their ends. */
export async function listNearBudgets(storage: Storage) {
  const now = await storage.now()
  return (await listRemaining(storage)).flatMap(({ window, max, used, limit }) => {
    const isLong = window === 'day' || window === 'month'
    if (!isLong || used < max * nearPart || !isBudget(limit)) return []
    return { limit, window, max, used, until: formatDate(periodOf(window, now).end) }
  })
}
