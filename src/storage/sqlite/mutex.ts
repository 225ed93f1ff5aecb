/** Lets one at a time in, in the order of asking. */
export interface Mutex {
  /** The function that ends the turn; undefined where it is somebody else's turn. */
  takeAtOnce(): (() => void) | undefined
  /**
   * Resolves when it is the caller's turn, with the function that ends the turn; rejects with what
   * `onTimeout` returns where the turn does not come in time.
   */
  take(): Promise<() => void>
}

export function createMutex(timeoutMs: number, onTimeout: () => Error): Mutex {
  const waiting: (() => void)[] = []
  let isTaken = false

  const endTurn = () => {
    const next = waiting.shift()
    if (next === undefined) isTaken = false
    else next()
  }
  const takeAtOnce = () => {
    if (isTaken) return undefined
    isTaken = true
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
          reject(onTimeout())
        }, timeoutMs)
        waiting.push(enter)
      })
      return endTurn
    },
  }
}
