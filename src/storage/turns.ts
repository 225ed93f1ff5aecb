import { databaseUnavailable } from './storage-error.ts'

/** Lets so many in at a time, in the order of asking. */
export interface Turns {
  /** The function that ends the turn; undefined where it is the turn of others. */
  takeAtOnce(): (() => void) | undefined
  /**
   * Resolves when it is the caller's turn, with the function that ends the turn. Throws an AppError (`upstream`)
   * where the turn does not come in time.
   */
  take(): Promise<() => void>
}

/** How many take their turn at a time, and how long anybody waits for his, in milliseconds. */
export interface TurnsOptions {
  count: number
  timeoutMs?: number
}

export function createTurns({ count, timeoutMs = 30_000 }: TurnsOptions): Turns {
  const waiting: (() => void)[] = []
  let free = count

  const endTurn = () => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  const takeAtOnce = () => {
    if (free === 0) return undefined
    free -= 1
    return endTurn
  }
  return {
    takeAtOnce,
    async take() {
      const own = takeAtOnce()
      if (own !== undefined) return own
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(enter), 1)
          reject(databaseUnavailable('too many changes are waiting', undefined))
        }, timeoutMs)
        waiting.push(enter)
      })
      return endTurn
    },
  }
}

/** Does it when there is room for it. */
export async function inTurn<T>(turns: Turns, work: () => Promise<T>): Promise<T> {
  const endTurn = await turns.take()
  try {
    return await work()
  } finally {
    endTurn()
  }
}
