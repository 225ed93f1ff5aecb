import { performance } from 'node:perf_hooks'
import { startStopwatch } from '../../kit/clock.ts'

/** How long the handlers of one turn of the event loop may take together, in milliseconds. */
const turnMs = 20

/** The time that the handlers of requests take in one turn of the event loop. */
export class TurnTime {
  /** The turn that is measured, from the call of its first handler. */
  #loop = -1
  #elapsedMs = startStopwatch()

  /** Whether another handler may be called in this turn. */
  isLeft(): boolean {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== this.#loop) {
      this.#loop = loopCount
      this.#elapsedMs = startStopwatch()
    }
    return this.#elapsedMs() < turnMs
  }
}
