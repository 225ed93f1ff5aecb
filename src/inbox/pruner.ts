import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import type { Storage } from '../storage/index.ts'
import { chargeOf, pruneMessages } from './store.ts'

const intervalMs = 60_000
/** To store a message takes seconds, on a busy database a minute or two. */
const abandonedAfterMs = 3_600_000
/** The inbox is pruned once this part of its limit was captured, so it exceeds the limit by that much. */
const share = 1 / 20

interface PrunerOptions {
  storage: Storage
  clock: Clock
  log: Log
  bytesMax: number
  keepMs: number
}

/** Keeps the inbox within its limits, once a minute. */
export class Pruner {
  readonly #options: PrunerOptions
  readonly #pruning: Periodic<number>
  #capturedBytes = 0

  constructor(options: PrunerOptions) {
    this.#options = options
    this.#pruning = new Periodic({
      task: () => {
        this.#capturedBytes = 0
        return this.prune()
      },
      intervalMs,
      log: options.log,
      events: { failed: 'inbox not pruned', recovered: 'inbox pruned again' },
    })
  }

  start(): void {
    this.#pruning.start()
  }

  /** Deletes what is over the limits now; returns how many. */
  prune(): Promise<number> {
    const { storage, clock, bytesMax, keepMs } = this.#options
    const now = clock.now()
    const abandonedSince = now - abandonedAfterMs
    return pruneMessages(storage, { bytesMax, keepSince: now - keepMs, abandonedSince })
  }

  /** Prunes soon where much was captured since the last time. */
  noteCaptured(sizeBytes: number): void {
    this.#capturedBytes += chargeOf(sizeBytes)
    if (this.#capturedBytes > this.#options.bytesMax * share) this.#pruning.trigger()
  }

  /** Waits for what is running. */
  stop(): Promise<void> {
    return this.#pruning.stop()
  }
}
