import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'

/** What only the list tells of a transport: what depends on it, and its last test. `id` is undefined for a new one. */
export function useListed(id: number | undefined, keys: readonly unknown[]) {
  return useData(
    async (signal) => {
      if (id === undefined) return undefined
      const query = { search: `ids:${id}`, with: 'usage,lastTest' }
      return (await ask('GET', '/api/multipleTransports', { query, signal })).body[0]
    },
    [id, ...keys],
  )
}
