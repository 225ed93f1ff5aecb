import { performance } from 'node:perf_hooks'
import { pause } from '../kit/pause.ts'

/** How long the handlers of one turn of the event loop may take together, in milliseconds. */
const turnMs = 20

/**
 * Spreads requests over turns of the event loop. Node calls the handlers of all requests that have arrived in one turn: fifty that take ten
 * milliseconds each would hold up everything else for half a second.
 */
export class RequestTurns {
  readonly #waiting: (() => void)[] = []
  #isRunning = false
  /** The turn whose time is counted, and when its first handler was called. */
  #loop = -1
  #startedAt = 0

  /** Calls a handler in this turn if it has time left and no other waits, else in a later one. */
  take(handler: () => void): void {
    if (this.#waiting.length === 0 && this.#hasTime()) {
      handler()
      return
    }
    this.#waiting.push(handler)
    if (!this.#isRunning) void this.#runWaiting()
  }

  async #runWaiting(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await pause()
      const deadline = performance.now() + turnMs
      do this.#waiting.shift()?.()
      while (this.#waiting.length > 0 && performance.now() < deadline)
    }
    this.#isRunning = false
  }

  #hasTime(): boolean {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    const now = performance.now()
    if (loopCount !== this.#loop) {
      this.#loop = loopCount
      this.#startedAt = now
    }
    return now - this.#startedAt < turnMs
  }
}
