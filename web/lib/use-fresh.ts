import { type Loaded, useData } from './use-data.ts'
import { useRepeat } from './use-repeat.ts'

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
