import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Storage } from '../storage/index.ts'
import { chargeOf, pruneMessages } from './store.ts'

const intervalMs = 60_000
/** To store a message takes seconds, on a busy database a minute or two. */
const abandonedAfterMs = 3_600_000
/** The inbox is pruned once this part of its limit was captured, so it exceeds the limit by that much. */
const share = 1 / 20

/** Keeps the inbox within its limits. */
export interface Pruner {
  /** Deletes what is over the limits now; returns how many. */
  prune(): Promise<number>
  /** Prunes soon where much was captured since the last time. */
  noteCaptured(sizeBytes: number): void
  /** Prunes from now on, once a minute. */
  start(): void
  /** Waits for what is running. */
  stop(): Promise<void>
}

interface PrunerOptions {
  storage: Storage
  clock: Clock
  log: Log
  bytesMax: number
  keepMs: number
}

export function createPruner({ storage, clock, log, bytesMax, keepMs }: PrunerOptions): Pruner {
  let timer: NodeJS.Timeout | undefined
  let capturedBytes = 0
  let running: Promise<unknown> | undefined
  const prune = () => {
    const now = clock.now()
    const abandonedSince = now - abandonedAfterMs
    return pruneMessages(storage, { bytesMax, keepSince: now - keepMs, abandonedSince })
  }
  const pruneLater = () => {
    if (running !== undefined) return
    capturedBytes = 0
    running = prune()
      .catch((err: unknown) => log.warn({ err }, 'inbox not pruned'))
      .finally(() => {
        running = undefined
      })
  }
  return {
    prune,
    noteCaptured(sizeBytes) {
      capturedBytes += chargeOf(sizeBytes)
      if (capturedBytes > bytesMax * share) pruneLater()
    },
    start() {
      timer = setInterval(pruneLater, intervalMs)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
