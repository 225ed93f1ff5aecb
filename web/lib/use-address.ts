import { useLocation, useRoute } from 'preact-iso/router'
import { withQuery } from './api.ts'

type Query = Readonly<Record<string, string | undefined>>

/**
 * The query of the page's address, where lists keep their search, filters, order and page: so a list can be shared and
 * the browser's Back works.
 */
export function useAddress() {
  const { path, route } = useLocation()
  const query: Query = useRoute().query
  return {
    query,
    /**
     * Changes some parameters; undefined and empty ones are removed. Unless `start` or `next` is given, the list begins
     * again on its first page. With `isReplacing`, Back skips the address before, as while someone types.
     */
    go: (
      changes: Readonly<Record<string, string | number | undefined>>,
      isReplacing = false,
    ): void => {
      const page = { start: undefined, next: undefined }
      route(withQuery(path, { ...query, ...page, ...changes }), isReplacing)
    },
  }
}
