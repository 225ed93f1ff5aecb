import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from './app-error.ts'
import { pause } from './pause.ts'

/** How much one caller may ask for at a time, and all of them together. */
export interface WorkQueueOptions {
  /** How many jobs of one owner run at a time. Default: 2. */
  runningMax?: number
  /** How many more jobs of one owner wait. Default: 20. */
  waitingMax?: number
  /** How many jobs of all owners run at a time. Default: no limit. */
  totalMax?: number
  /** The error for an owner of whom too many jobs wait. */
  refusal?: () => AppError
}

/** A place among the jobs that run. */
export interface WorkPlace {
  /** Runs a part of the job, whose first piece has its turn already. */
  run<Result>(part: () => Result | Promise<Result>): Promise<Result>
  /** Gives the place to the next job. A second call has no effect. */
  release(): void
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
  readonly #totalMax: number
  readonly #refusal: () => AppError
  #running = 0
  /** Those that have jobs. The map's order is the order in which they get a free place. */
  readonly #owners = new Map<string, Owner>()
  /** The pieces that wait for their turn, by owner. The map's order is the order of the turns. */
  readonly #pieces = new Map<string, (() => void)[]>()
  /** The owner of the job that runs. */
  readonly #current = new AsyncLocalStorage<string>()
  #isTurning = false

  constructor({
    runningMax = 2,
    waitingMax = 20,
    totalMax = Number.POSITIVE_INFINITY,
    refusal = () => this.#tooMany(),
  }: WorkQueueOptions = {}) {
    this.#refusal = refusal
    this.#runningMax = runningMax
    this.#waitingMax = waitingMax
    this.#totalMax = totalMax
  }

  /**
   * Runs a job, whose first piece has its turn already. A job with more pieces calls `turn` before each of the others.
   * A job runs no other job of its owner, because that would wait for its own place.
   *
   * @param owner Whose share it uses: the key of a caller, or the address of an anonymous client.
   * @param isAccepted Whether it continues what has been accepted before: it waits, however many others do.
   * @throws AppError (`rate_limited`) if too many jobs of this owner wait.
   */
  async run<Result>(
    owner: string,
    job: () => Result | Promise<Result>,
    isAccepted = false,
  ): Promise<Result> {
    const place = await this.open(owner, isAccepted)
    try {
      return await place.run(job)
    } finally {
      place.release()
    }
  }

  /** Waits for a place like `run`, for a job whose end is not that of one function. The place is to be released. */
  async open(owner: string, isAccepted = false): Promise<WorkPlace> {
    await this.#acquire(owner, isAccepted)
    let isReleased = false
    return {
      run: (job) =>
        this.#current.run(owner, async () => {
          await this.turn()
          return job()
        }),
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#release(owner)
      },
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
      await pause()
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

  async #acquire(owner: string, isAccepted: boolean): Promise<void> {
    const jobs = this.#owners.get(owner) ?? { running: 0, waiting: [] }
    this.#owners.set(owner, jobs)
    if (this.#hasPlace(jobs)) return this.#start(jobs)
    if (jobs.waiting.length >= this.#waitingMax && !isAccepted) throw this.#refusal()
    await new Promise<void>((resolve) => jobs.waiting.push(resolve))
  }

  #hasPlace({ running }: Owner): boolean {
    return running < this.#runningMax && this.#running < this.#totalMax
  }

  #start(jobs: Owner): void {
    jobs.running += 1
    this.#running += 1
  }

  /** Hands the place of a finished job to the owner whose turn it is. The owners that had one come last. */
  #release(owner: string): void {
    const jobs = this.#owners.get(owner)
    if (jobs === undefined) return
    jobs.running -= 1
    this.#running -= 1
    this.#putLast(owner, jobs)
    for (const [each, candidate] of this.#owners) {
      const next = candidate.waiting[0]
      if (next === undefined || !this.#hasPlace(candidate)) continue
      candidate.waiting.shift()
      this.#start(candidate)
      this.#putLast(each, candidate)
      next()
      return
    }
  }

  #putLast(owner: string, jobs: Owner): void {
    this.#owners.delete(owner)
    if (jobs.running > 0 || jobs.waiting.length > 0) this.#owners.set(owner, jobs)
  }

  #tooMany(): AppError {
    const requests = this.#runningMax === 1 ? 'request' : 'requests'
    const message = `You already have ${this.#runningMax} expensive ${requests} running and ${this.#waitingMax} waiting. Send the next one when one of them is answered.`
    return new AppError('rate_limited', 'too_much_work', message, { retryAfterSeconds: 1 })
  }
}
