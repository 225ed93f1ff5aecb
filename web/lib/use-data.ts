import { useEffect, useState } from 'preact/hooks'
import { ApiFault } from './api.ts'

/** What a screen shows: data, or a fault, or neither while it loads for the first time. */
export interface Loaded<Data> {
  data: Data | undefined
  fault: ApiFault | undefined
  isLoading: boolean
  reload: () => void
}

/**
 * Loads data, again whenever `keys` change or `reload` is called. A load that is no longer wanted is cancelled; the data
 * of the last one stays until the next is there.
 */
export function useData<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload'>>({
    data: undefined,
    fault: undefined,
    isLoading: true,
  })
  const [count, setCount] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    load(controller.signal).then(
      (data) => setState({ data, fault: undefined, isLoading: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return
        const fault = error instanceof ApiFault ? error : new ApiFault(0, String(error))
        setState((before) => ({ ...before, fault, isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [...keys, count])
  return { ...state, reload: () => setCount((before) => before + 1) }
}
