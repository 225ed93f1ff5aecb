import { signal } from '@preact/signals'

/** Creates a gate: something that every request needs, such as a session. Requests wait at it until it is there again. */
export function createGate() {
  const isClosed = signal(false)
  let opened = Promise.withResolvers<void>()
  const settle = (act: (before: typeof opened) => void) => {
    const before = opened
    opened = Promise.withResolvers()
    // Nothing may wait for it.
    before.promise.catch(() => undefined)
    act(before)
    isClosed.value = false
  }
  return {
    isClosed,
    close() {
      isClosed.value = true
    },
    /** Lets the requests that wait continue. */
    open: () => settle(({ resolve }) => resolve()),
    /** Lets none of the requests that wait continue: `wait` rejects with this error. */
    refuse: (error: Error) => settle(({ reject }) => reject(error)),
    /** Resolves when the gate is open; rejects when the signal is aborted. */
    async wait(aborted: AbortSignal | null | undefined) {
      if (!isClosed.value) return
      await Promise.race([opened.promise, rejectOnAbort(aborted)])
    },
  }
}

function rejectOnAbort(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
