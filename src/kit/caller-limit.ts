import { AppError } from './app-error.ts'
import { type Caller, callerKey } from './caller.ts'

/** The limit of each caller, and the error above it. */
export interface CallerLimitOptions {
  countMax: number
  code: string
  message: string
}

/** Limits what each caller has open at a time. */
export class CallerLimit {
  readonly #options: CallerLimitOptions
  readonly #counts = new Map<string, number>()

  constructor(options: CallerLimitOptions) {
    this.#options = options
  }

  /** Returns a function that releases it. Throws an AppError (`rate_limited`). */
  acquire(caller: Caller): () => void {
    const { countMax, code, message } = this.#options
    const key = callerKey(caller)
    const count = this.#counts.get(key) ?? 0
    if (count >= countMax)
      throw new AppError('rate_limited', code, message, { retryAfterSeconds: 5 })
    this.#counts.set(key, count + 1)
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
    }
  }
}
