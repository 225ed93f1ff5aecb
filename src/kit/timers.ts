import { setTimeout as wait } from 'node:timers/promises'

/** Waits. An aborted signal ends it early, without an error. With `isRef: false` it keeps no process alive. */
export async function sleep(
  ms: number,
  { signal, isRef = true }: { signal?: AbortSignal | undefined; isRef?: boolean } = {},
): Promise<void> {
  await wait(ms, undefined, { signal, ref: isRef }).catch(() => undefined)
}

/** A timer for one piece of work, which may be set again and again. */
export class Alarm {
  readonly #work: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(work: () => void) {
    this.#work = work
  }

  get isSet(): boolean {
    return this.#timer !== undefined
  }

  /** Does the work once, after this time, which replaces the one that was set before. */
  set(ms: number): this {
    this.cancel()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#work()
    }, ms)
    return this
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Does work at an interval, without keeping the process alive. Returns a function that ends it. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}
