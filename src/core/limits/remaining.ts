import type { Storage } from '../../platform/storage/index.ts'
import { connectionsKeyOf, listPublished, readTransports, usageKeyOf } from './rules.ts'
import type { LimitUsage } from './schema.ts'
import type { LimitRow } from './table.ts'
import { presentUsage } from './usage/present-usage.ts'
import { UsageStore } from './usage/usage-store.ts'

/** What is left of one window of a limit; `freeAt` is null while something is. */
export interface RemainingTokens
  extends Pick<LimitUsage['windows'][number], 'window' | 'left' | 'freeAt'> {
  limit: { id: number; name: string; transports: readonly number[] }
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
    const limit = { id: row.id, name: row.name, transports: readTransports(row) }
    for (const { window, left, freeAt } of (await readUsage(storage, row)).windows)
      remaining.push({ limit, window, left, freeAt })
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
