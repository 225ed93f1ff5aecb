import { performance } from 'node:perf_hooks'

/** How long the handlers of one turn of the event loop may take together, in milliseconds. */
const turnMs = 20

/** The time that the handlers of requests take in one turn of the event loop. */
export class TurnTime {
  /** The turn that is measured, and when its first handler was called. */
  #loop = -1
  #startedAt = 0

  /** Whether another handler may be called in this turn. */
  isLeft(): boolean {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    const now = performance.now()
    if (loopCount !== this.#loop) {
      this.#loop = loopCount
      this.#startedAt = now
    }
    return now - this.#startedAt < turnMs
  }
}
