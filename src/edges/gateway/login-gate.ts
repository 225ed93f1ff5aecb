import { AppError } from '../../kit/app-error.ts'
import { networkOf } from '../../kit/network-of.ts'
import { sleep } from '../../kit/timers.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import type { LoginLimits } from '../../platform/auth/index.ts'

/** A log-in at a Mautic, which the limits of log-ins count. */
export interface LoginAttempt {
  address: string
  account: string
}

/** A log-in that Mautic is checking. */
export interface PendingLogin {
  /** Counts the result, once, in the background; `undefined` where Mautic did not say. */
  finish(isRight: boolean | undefined): void
}

/** How many log-ins of one network are checked at a time: of many guesses at once, the first failures refuse the rest. */
const checksAtOnceMax = 8
const waitingMax = 200
/** How long a log-in without an answer holds up others of its network. */
const permitDefaultMs = 10_000

/** Throttles clients that guess passwords of a Mautic, like those that guess passwords of Mailyard. */
export class LoginGate {
  readonly #limits: LoginLimits
  readonly #permitMs: number
  /** By network. */
  readonly #checks = new WorkQueue({
    runningMax: checksAtOnceMax,
    waitingMax,
    refusal: tooManyLogins,
  })

  constructor(limits: LoginLimits, { permitMs = permitDefaultMs }: { permitMs?: number } = {}) {
    this.#limits = limits
    this.#permitMs = permitMs
  }

  /** Waits until the log-in may be checked. Throws an AppError (`rate_limited`) after many failures. */
  async enter(attempt: LoginAttempt): Promise<PendingLogin> {
    await this.#limits.check(attempt)
    const release = await this.#acquire(networkOf(attempt.address))
    try {
      await this.#limits.accept(attempt)
    } catch (error) {
      release()
      throw error
    }
    let isFinished = false
    return {
      finish: (isRight) => {
        if (isFinished) return
        isFinished = true
        const counted =
          isRight === undefined
            ? Promise.resolve()
            : this.#limits[isRight ? 'succeed' : 'fail'](attempt)
        // What the database did not count has no other effect.
        counted.then(release, release)
      },
    }
  }

  /** Takes a permit of a network. Returns the function that releases it, once or in time. */
  async #acquire(network: string): Promise<() => void> {
    const place = await this.#checks.open(network)
    const ending = new AbortController()
    void sleep(this.#permitMs, { signal: ending.signal, isRef: false }).then(() => place.release())
    return () => ending.abort()
  }
}

function tooManyLogins(): AppError {
  const message = 'Too many log-ins are waiting. Try again in 5 seconds.'
  return new AppError('rate_limited', 'too_many_logins', message, { retryAfterSeconds: 5 })
}
