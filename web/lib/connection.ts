import { createGate } from './gate.ts'

const firstPauseMs = 500
const pauseMsMax = 10_000

/** Closed while the server does not answer. It opens once the server answers again. */
export const connection = createGate()

/**
 * Call it when a request had no answer. If the server does not answer anything, the connection is lost, and the server is
 * asked again until it does.
 *
 * @returns Whether the server answers.
 */
export async function checkConnection(): Promise<boolean> {
  if (connection.isClosed.value) return false
  if (await doesAnswer()) return true
  if (connection.isClosed.value) return false
  connection.close()
  void watch()
  return false
}

async function watch(): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    await pause(pauseMs)
    if (await doesAnswer()) return connection.open()
  }
}

async function doesAnswer(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

/** Ends early when the browser is online again. */
function pause(timeMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timeout)
      removeEventListener('online', end)
      resolve()
    }
    const timeout = setTimeout(end, timeMs)
    addEventListener('online', end)
  })
}
