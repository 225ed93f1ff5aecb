import type { LoginLimits } from '../auth/index.ts'
import type { HttpRequest } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import { networkOf } from '../kit/network-of.ts'
import { Semaphore } from '../kit/semaphore.ts'
import type { ServedMautic } from './served-mautics.ts'

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

/** Throttles clients that guess passwords of a Mautic, like those that guess passwords of Mailyard. */
export interface LoginGate {
  /** Waits until the log-in may be checked. Throws an AppError (`rate_limited`) after many failures. */
  enter(attempt: LoginAttempt): Promise<PendingLogin>
}

/** How many log-ins of one network are checked at a time: of many guesses at once, the first failures refuse the rest. */
const checksAtOnceMax = 8
const waitingMax = 200
/** How long a log-in without an answer holds up others of its network. */
const permitDefaultMs = 10_000

export function createLoginGate(
  limits: LoginLimits,
  { permitMs = permitDefaultMs }: { permitMs?: number } = {},
): LoginGate {
  const acquire = createPermits(permitMs)
  return {
    async enter(attempt) {
      await limits.check(attempt)
      const release = await acquire(networkOf(attempt.address))
      try {
        await limits.accept(attempt)
      } catch (error) {
        release()
        throw error
      }
      let isFinished = false
      return {
        finish(isRight) {
          if (isFinished) return
          isFinished = true
          const counted =
            isRight === undefined
              ? Promise.resolve()
              : limits[isRight ? 'succeed' : 'fail'](attempt)
          // What the database did not count has no other effect.
          counted.then(release, release)
        },
      }
    },
  }
}

/** Creates the function that takes a permit of a network. It returns the function that releases it, once or in time. */
function createPermits(permitMs: number) {
  const networks = new Map<string, { semaphore: Semaphore; users: number }>()
  return async (network: string): Promise<() => void> => {
    const entry = networks.get(network) ?? { semaphore: createNetworkSemaphore(), users: 0 }
    networks.set(network, entry)
    entry.users += 1
    const leave = () => {
      entry.users -= 1
      if (entry.users === 0) networks.delete(network)
    }
    try {
      const release = await entry.semaphore.acquire()
      let isHeld = true
      const releaseOnce = () => {
        if (!isHeld) return
        isHeld = false
        clearTimeout(timer)
        release()
        leave()
      }
      const timer = setTimeout(releaseOnce, permitMs).unref()
      return releaseOnce
    } catch (error) {
      leave()
      throw error
    }
  }
}

function createNetworkSemaphore(): Semaphore {
  return new Semaphore({ permits: checksAtOnceMax, waitingMax, refusal: tooManyLogins })
}

function tooManyLogins(): AppError {
  const message = 'Too many log-ins are waiting. Try again in 5 seconds.'
  return new AppError('rate_limited', 'too_many_logins', message, { retryAfterSeconds: 5 })
}

/** Returns the log-in of an Authorization header. Undefined for a bearer token, which is too long to be guessed. */
export function attemptOf(
  request: Pick<HttpRequest, 'ip'>,
  mautic: ServedMautic,
  authorization: string | undefined,
): LoginAttempt | undefined {
  const credentials = /^basic\s+(.*)$/i.exec(authorization ?? '')?.[1]
  if (credentials === undefined) return undefined
  const [login = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return createAttempt(request, mautic, login)
}

/** The accounts of a Mautic are others than Mailyard's, and than those of another Mautic. */
export function createAttempt(
  { ip }: Pick<HttpRequest, 'ip'>,
  { id }: ServedMautic,
  login: string,
): LoginAttempt {
  return { address: ip, account: `mautic ${id} ${login.trim().toLowerCase()}` }
}
