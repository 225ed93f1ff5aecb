import type { Limit } from './rules.ts'

/** The published limits in memory, so that sending reads none. They are read again while it sends. */
export interface AppliedLimits {
  /** Whether they were read too long ago to be used; `load` reads them. */
  readonly isStale: boolean
  ofTransport(id: number): readonly Limit[]
  load(): Promise<void>
  close(): Promise<void>
}

export interface AppliedLimitsOptions {
  listApplied: () => Promise<Limit[]>
  onLoaded: (limits: readonly Limit[]) => void
  onError: (error: unknown) => void
}

/** They are read again after this time, while the old ones are still used. */
const refreshMs = 500
/** A change made by another process applies after this time at the latest. */
const staleMs = 1_000
const none: readonly Limit[] = []

export function openAppliedLimits(options: AppliedLimitsOptions): AppliedLimits {
  const { listApplied, onLoaded, onError } = options
  let byTransport = new Map<number, Limit[]>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const read = async () => {
    const startedAt = performance.now()
    const limits = await listApplied()
    byTransport = new Map()
    for (const limit of limits)
      for (const id of limit.transports)
        byTransport.set(id, [...(byTransport.get(id) ?? []), limit])
    readAt = startedAt
    onLoaded(limits)
  }
  const refresh = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    get isStale() {
      return performance.now() - readAt > staleMs
    },
    ofTransport(id) {
      if (performance.now() - readAt > refreshMs && reading === undefined) refresh().catch(onError)
      return byTransport.get(id) ?? none
    },
    // A change that a running read may have missed.
    load: async () => {
      await reading?.catch(() => undefined)
      await refresh()
    },
    async close() {
      await reading?.catch(() => undefined)
    },
  }
}
