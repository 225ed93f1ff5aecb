import { ask, type Body, type Options, type PathOf } from './api.ts'
import type { Loaded } from './use-data.ts'
import { useFresh } from './use-fresh.ts'

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
    async (signal) =>
      path && (await ask<'GET', P>('GET', path, { ...options, signal } as Options<'GET', P>)).body,
    [path, JSON.stringify(options), ...keys],
    refreshMs,
  ) as Loaded<Body<'GET', P>>
}
