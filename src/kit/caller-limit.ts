import { AppError } from './app-error.ts'
import { type Caller, callerKey } from './caller.ts'

/** Limits what each caller has open at a time. */
export interface CallerLimit {
  /** Returns a function that releases it. Throws an AppError (`rate_limited`). */
  acquire(caller: Caller): () => void
}

/** The limit of each caller, and the error above it. */
export interface CallerLimitOptions {
  countMax: number
  code: string
  message: string
}

export function createCallerLimit({ countMax, code, message }: CallerLimitOptions): CallerLimit {
  const counts = new Map<string, number>()
  return {
    acquire(caller) {
      const key = callerKey(caller)
      const count = counts.get(key) ?? 0
      if (count >= countMax)
        throw new AppError('rate_limited', code, message, { retryAfterSeconds: 5 })
      counts.set(key, count + 1)
      return () => {
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    },
  }
}
