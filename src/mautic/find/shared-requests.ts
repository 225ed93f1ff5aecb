import type { Clock } from '../../kit/clock.ts'

const rememberedMax = 10_000

/** Runs a request for a key. Concurrent callers share it. */
export type Shared<Value> = (
  key: string,
  ask: () => Promise<Value | undefined>,
) => Promise<Value | undefined>

/** Creates the function that shares requests. That something does not exist is remembered for `missingMs`. */
export function createShared<Value>({
  clock,
  missingMs,
}: {
  clock: Clock
  missingMs: number
}): Shared<Value> {
  const running = new Map<string, Promise<Value | undefined>>()
  const missing = new Map<string, number>()
  const run = async (key: string, ask: () => Promise<Value | undefined>) => {
    try {
      const value = await ask()
      if (value === undefined) {
        if (missing.size >= rememberedMax) missing.clear()
        missing.set(key, clock.now() + missingMs)
      }
      return value
    } finally {
      running.delete(key)
    }
  }
  return (key, ask) => {
    const until = missing.get(key)
    if (until !== undefined && clock.now() < until) return Promise.resolve(undefined)
    missing.delete(key)
    const started = running.get(key) ?? run(key, ask)
    running.set(key, started)
    return started
  }
}
