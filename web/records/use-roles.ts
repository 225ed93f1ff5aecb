import { ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'

const rolesMax = 1_000

/** The roles to choose from, as options; none for readers who may not view roles. */
export function useRoleOptions(): readonly { value: string; label: string }[] {
  const { data = [] } = useData(async (signal) => {
    if (!can('user:view')) return []
    const query = { limit: rolesMax, orderBy: 'name' }
    const { roles } = (await ask('GET', '/api/roles', { query, signal })).body
    return roles.map(({ id, name }) => ({ value: String(id), label: name }))
  }, [])
  return data
}
