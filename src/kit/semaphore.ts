export interface SemaphoreOptions {
  /** How many callers work at a time. */
  permits: number
  /** How many callers wait at most. Default: no limit. */
  waitingMax?: number
  /** How long a caller waits at most, in milliseconds. Default: no limit. */
  timeoutMs?: number
  /** The error for a caller who gets no permit because of `waitingMax` or `timeoutMs`. */
  refusal?: () => Error
}

/** Lets a limited number of callers work at a time, in the order of asking. */
export class Semaphore {
  readonly #waitingMax: number
  readonly #timeoutMs: number | undefined
  readonly #refusal: () => Error
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor({
    permits,
    waitingMax = Number.POSITIVE_INFINITY,
    timeoutMs,
    refusal = () => new Error('No permit was free in time.'),
  }: SemaphoreOptions) {
    this.#free = permits
    this.#waitingMax = waitingMax
    this.#timeoutMs = timeoutMs
    this.#refusal = refusal
  }

  /** Resolves with the function that releases the permit. Throws `refusal()` where the wait is too long. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else if (this.#waiting.length >= this.#waitingMax) throw this.#refusal()
    else await this.#wait()
    return () => this.#release()
  }

  /** Runs work with a permit. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(this.#refusal())
      }
      const timer = this.#timeoutMs === undefined ? undefined : setTimeout(giveUp, this.#timeoutMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.push(enter)
    })
  }

  #release(): void {
    const enter = this.#waiting.shift()
    if (enter === undefined) this.#free += 1
    else enter()
  }
}
