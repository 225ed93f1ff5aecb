import { largeBytes } from '../../kit/pause.ts'

/** Long work in steps. Each step yields how many bytes it has worked on; after it the event loop may turn. */
export type Steps<Result> = Generator<number, Result, void>

/** How many bytes one step works on, where it can choose. */
export const stepBytes = 262_144

/** Runs all steps without a turn of the event loop: for few bytes. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Runs the steps of one message or body. Fewer bytes than a megabyte, all together, run without a turn. */
export class StepRunner {
  readonly #turn: () => Promise<void>
  /** How many bytes were worked on since the last turn. */
  #bytes = 0

  /** @param turn Resolves when the next piece may run, such as `WorkQueue.turn`. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn
  }

  /** Runs the steps, with a turn after each megabyte. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await this.worked(step.value)
    }
  }

  /** Takes a turn where a megabyte was worked on since the last one. */
  worked(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes
    if (this.#bytes < largeBytes) return undefined
    this.#bytes = 0
    return this.#turn()
  }
}
