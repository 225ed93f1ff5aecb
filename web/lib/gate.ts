import { type Signal, signal } from '@preact/signals'

/** Something that every request needs, such as a session: requests wait at it until it is there again. */
export interface Gate {
  isClosed: Signal<boolean>
  close: () => void
  /** Lets the requests that wait continue. */
  open: () => void
  /** Lets none of the requests that wait continue: `wait` rejects with this error. */
  refuse: (error: Error) => void
  /** Resolves when the gate is open; rejects when `signal` is aborted. */
  wait: (signal: AbortSignal | null | undefined) => Promise<void>
}

export function createGate(): Gate {
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
    open: () => settle(({ resolve }) => resolve()),
    refuse: (error) => settle(({ reject }) => reject(error)),
    async wait(aborted) {
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
