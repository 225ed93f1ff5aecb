import { useEffect, useState } from 'preact/hooks'
import { ApiFault, ask, type Body, type Options, type PathOf } from './api.ts'
import { useRepeat } from './use-repeat.ts'

/** What a screen shows: data, or a fault, or neither while it loads for the first time. */
export interface Loaded<Data> {
  data: Data | undefined
  fault: ApiFault | undefined
  isLoading: boolean
  reload: () => void
  /** Reloads, unless it is loading. */
  refresh: () => void
}

const typingPauseMs = 250

/**
 * Loads data, again whenever `keys` change or `reload` is called. A load that is no longer wanted is cancelled; the data
 * of the last one stays until the next is there. Where someone types the keys (`isTyped`), it loads when the typing pauses;
 * the first load does not wait.
 */
export function useData<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  { isTyped = false }: { isTyped?: boolean } = {},
): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload' | 'refresh'>>({
    data: undefined,
    fault: undefined,
    isLoading: true,
  })
  const [count, setCount] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    const start = () =>
      load(controller.signal).then(
        (data) => {
          if (!controller.signal.aborted) setState({ data, fault: undefined, isLoading: false })
        },
        (error: unknown) => {
          if (controller.signal.aborted) return
          const fault = error instanceof ApiFault ? error : new ApiFault(0, String(error))
          setState((before) => ({ ...before, fault, isLoading: false }))
        },
      )
    const isWaiting = isTyped && state.data !== undefined
    const timer = isWaiting ? setTimeout(() => void start(), typingPauseMs) : undefined
    if (!isWaiting) void start()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [...keys, count])
  const reload = () => setCount((before) => before + 1)
  // A reload cancels the load before: repeated, a slow answer would never come.
  return { ...state, reload, refresh: () => (state.isLoading ? undefined : reload()) }
}

/** Loads data as `useData` does, and again at each interval; not again where there is none. */
export function useFresh<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  intervalMs: number | undefined,
): Loaded<Data> {
  const loaded = useData(load, keys)
  useRepeat(async () => loaded.refresh(), intervalMs)
  return loaded
}

/**
 * Reads from the API as `useData` loads, again whenever the path, its options or `keys` change; with `refreshMs` also at
 * each interval. Without a path, nothing is read and there is no data.
 */
export function useAnswer<P extends PathOf<'GET'>>(
  path: P | undefined,
  options: Omit<Options<'GET', P>, 'signal'> = {},
  { refreshMs, keys = [] }: { refreshMs?: number | undefined; keys?: readonly unknown[] } = {},
): Loaded<Body<'GET', P>> {
  return useFresh(
    async (signal) => path && (await ask<'GET', P>('GET', path, { ...options, signal })).body,
    [path, JSON.stringify(options), ...keys],
    refreshMs,
  ) as Loaded<Body<'GET', P>>
}
