import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { AppError } from './app-error.ts'

/** How much one caller may ask for at a time. */
export interface WorkQueueOptions {
  /** How many jobs of one owner run at a time. Default: 2. */
  runningMax?: number
  /** How many more jobs of one owner wait. Default: 20. */
  waitingMax?: number
}

/** The jobs of one owner. */
interface Owner {
  running: number
  readonly waiting: (() => void)[]
}

/** Whose turn a piece is that belongs to no job: that of a delivery, or of a periodic task. */
const background = ''

/**
 * Runs expensive synchronous work: rendering, linting, decoding, searching. A job consists of pieces; the event loop turns after
 * each piece, and the owners of jobs take turns, so that neither one long job nor many short ones hold up other requests.
 */
export class WorkQueue {
  readonly #runningMax: number
  readonly #waitingMax: number
  readonly #owners = new Map<string, Owner>()
  /** The pieces that wait for their turn, by owner. The map's order is the order of the turns. */
  readonly #pieces = new Map<string, (() => void)[]>()
  /** The owner of the job that runs. */
  readonly #current = new AsyncLocalStorage<string>()
  #isTurning = false

  constructor({ runningMax = 2, waitingMax = 20 }: WorkQueueOptions = {}) {
    this.#runningMax = runningMax
    this.#waitingMax = waitingMax
  }

  /**
   * Runs a job, whose first piece has its turn already. A job with more pieces calls `turn` before each of the others.
   * A job runs no other job of its owner, because that would wait for its own place.
   *
   * @param owner Whose share it uses: the key of a caller, or the address of an anonymous client.
   * @throws AppError (`rate_limited`) if too many jobs of this owner wait.
   */
  async run<Result>(owner: string, job: () => Result | Promise<Result>): Promise<Result> {
    await this.#acquire(owner)
    try {
      return await this.#current.run(owner, async () => {
        await this.turn()
        return job()
      })
    } finally {
      this.#release(owner)
    }
  }

  /**
   * Resolves when the next piece may run. What runs synchronously after it is the piece: at most about 50 ms. It never refuses, so it
   * is also for work that has been accepted before, such as the delivery of a message.
   *
   * @param owner Default: the owner of the job that calls it; outside of a job, all such pieces share one turn.
   */
  turn(owner = this.#current.getStore() ?? background): Promise<void> {
    return new Promise((resolve) => {
      const pieces = this.#pieces.get(owner)
      if (pieces === undefined) this.#pieces.set(owner, [resolve])
      else pieces.push(resolve)
      if (!this.#isTurning) void this.#takeTurns()
    })
  }

  async #takeTurns(): Promise<void> {
    this.#isTurning = true
    while (this.#pieces.size > 0) {
      await setImmediate()
      // Its piece runs before the event loop turns again, because promises are settled first.
      this.#takePiece()?.()
    }
    this.#isTurning = false
  }

  /** Takes a piece of the owner whose turn it is, who then comes last. */
  #takePiece(): (() => void) | undefined {
    for (const [owner, pieces] of this.#pieces) {
      this.#pieces.delete(owner)
      const piece = pieces.shift()
      if (pieces.length > 0) this.#pieces.set(owner, pieces)
      return piece
    }
    return undefined
  }

  async #acquire(owner: string): Promise<void> {
    const jobs = this.#owners.get(owner) ?? { running: 0, waiting: [] }
    this.#owners.set(owner, jobs)
    if (jobs.running < this.#runningMax) jobs.running += 1
    else if (jobs.waiting.length >= this.#waitingMax) throw this.#tooMany()
    else await new Promise<void>((resolve) => jobs.waiting.push(resolve))
  }

  /** Hands the place of a finished job to the one that waits longest. */
  #release(owner: string): void {
    const jobs = this.#owners.get(owner)
    if (jobs === undefined) return
    const next = jobs.waiting.shift()
    if (next !== undefined) next()
    else if (jobs.running > 1) jobs.running -= 1
    else this.#owners.delete(owner)
  }

  #tooMany(): AppError {
    const message = `You already have ${this.#runningMax} expensive requests running and ${this.#waitingMax} waiting. Send the next one when one of them is answered.`
    return new AppError('rate_limited', 'too_much_work', message, { retryAfterSeconds: 1 })
  }
}
