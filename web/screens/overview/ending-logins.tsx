import { ask } from '../../lib/api.ts'
import { useFresh } from './part.tsx'

/** The transports whose log-in stops working. Its code is loaded only where there are some. */
export function EndingLogins() {
  const { data } = useFresh(async (signal) => {
    const { body } = await ask('GET', '/api/multipleTransports/endingLogins', { signal })
    if (body.total + body.default.length === 0) return undefined
    const { EndingList } = await import('./ending-list.tsx')
    return { EndingList, endings: body }
  })
  return data === undefined ? null : <data.EndingList endings={data.endings} />
}
