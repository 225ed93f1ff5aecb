/** Lets a limited number of callers work at a time, in the order of asking. */
export interface Semaphore {
  /** Resolves with the function that releases the permit. Throws `refusal()` where the wait is too long. */
  acquire(): Promise<() => void>
  /** Runs work with a permit. */
  run<T>(work: () => Promise<T>): Promise<T>
}

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

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { permits, waitingMax = Number.POSITIVE_INFINITY, timeoutMs } = options
  const { refusal = () => new Error('No permit was free in time.') } = options
  const waiting: (() => void)[] = []
  let free = permits

  const release = () => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(refusal())
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.push(enter)
    })
  const acquire = async () => {
    if (free > 0) free -= 1
    else if (waiting.length >= waitingMax) throw refusal()
    else await wait()
    return release
  }
  return {
    acquire,
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
