/** Something that one waits for and others bring about. */
export interface Wakeup {
  /** Ends the wait, or the next one at once. */
  wake(): void
  /** Resolves when woken, or after a while. */
  wait(timeoutMs: number): Promise<void>
}

export function createWakeup(): Wakeup {
  let isWoken = false
  let end: (() => void) | undefined
  return {
    wake() {
      isWoken = true
      end?.()
    },
    async wait(timeoutMs) {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      end = undefined
      isWoken = false
    },
  }
}
