import { ask, type Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'

const rolesMax = 1_000

/** The roles; none for readers who may not view them. */
export function useRoles(): readonly Schema<'Role'>[] {
  const { data = [] } = useData(async (signal) => {
    if (!can('user:view')) return []
    const query = { limit: rolesMax, orderBy: 'name' }
    return (await ask('GET', '/api/roles', { query, signal })).body.roles
  }, [])
  return data
}

/** Roles to choose from. */
export const roleOptions = (roles: readonly Schema<'Role'>[]) =>
  roles.map(({ id, name }) => ({ value: String(id), label: name }))
