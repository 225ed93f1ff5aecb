import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import type { EndingLogin } from '../../records/ending-login.tsx'

/** The log-ins of a saved transport that stop working, the worst first. `saved` changes when it is saved. */
export function useEndingLogins(id: number | undefined, saved: string): readonly EndingLogin[] {
  const { data = [] } = useData(
    async (signal) => {
      if (id === undefined) return []
      const path = '/api/multipleTransports/dsn/inspect'
      const { body } = await ask('POST', path, { body: { id }, signal, isRead: true })
      return body.endingLogins ?? []
    },
    [id, saved],
  )
  return data
}
