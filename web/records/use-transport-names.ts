import { ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'
import { transportWords } from '../words/transports.ts'

/** Returns the function that names a transport by its id; one that is deleted has its number. */
export function useTransportNames(ids: readonly number[]): (id: number) => string {
  const wanted = [...new Set(ids)].sort((one, other) => one - other).join(',')
  const { data: names } = useData(
    async (signal) => {
      if (wanted === '' || !can('multipleTransports:view')) return new Map<number, string>()
      const query = { search: `ids:${wanted}`, fields: 'id,name', limit: 0 }
      const options = { query, signal, isBackground: true }
      const { body } = await ask('GET', '/api/multipleTransports', options)
      return new Map(body.map(({ id, name }) => [id, name]))
    },
    [wanted],
  )
  return (id) => names?.get(id) ?? transportWords.editor.transport(id)
}
