import { useEffect, useRef } from 'preact/hooks'
import { loggedIn } from './api.ts'
import { connection } from './connection.ts'

/**
 * Repeats work while the page is visible, the server answers and the session lasts. A page that was hidden for longer
 * than the interval repeats at once when it is visible again. The next interval begins when the work is done. Without an
 * interval nothing is repeated.
 */
export function useRepeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  intervalMs: number | undefined,
): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    if (intervalMs === undefined) return undefined
    const controller = new AbortController()
    const { signal } = controller
    let isWorking = false
    let doneAt = performance.now()
    const repeat = async () => {
      const isDue = performance.now() - doneAt >= intervalMs
      const isPossible = !document.hidden && !connection.isClosed.value && !loggedIn.isClosed.value
      if (!isDue || !isPossible || isWorking) return
      isWorking = true
      // The next repetition shows whether a fault lasts; a lost connection has its notice.
      await latest.current(signal).catch(() => undefined)
      isWorking = false
      doneAt = performance.now()
    }
    const timer = setInterval(() => void repeat(), intervalMs / 2)
    document.addEventListener('visibilitychange', () => void repeat(), { signal })
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [intervalMs])
}
