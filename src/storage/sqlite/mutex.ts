/** Lets one at a time in, in the order of asking. */
export interface Mutex {
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
  return {
    async take() {
      if (!isTaken) {
        isTaken = true
        return endTurn
      }
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
